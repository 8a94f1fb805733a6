  const data = JSON.parse(document.getElementById("data").textContent);
  const board = document.getElementById("board");
  const body = board.tBodies[0];
  const heads = [...board.querySelector("tr.heads").cells];

  // Sorting: every cell carries a key; the smallest is the best, an empty one goes last.
  const compare = (a, b, flip) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    const [x, y] = [Number(a), Number(b)];
    const order = Number.isNaN(x) || Number.isNaN(y) ? (a < b ? -1 : Number(a > b)) : x - y;
    return flip ? -order : order;
  };
  let sorted = { column: heads.findIndex((head) => head.hasAttribute("aria-sort")), flip: false };
  const sortBy = (column, flip) => {
    sorted = { column, flip };
    const key = (row) => row.cells[column].dataset.key;
    const first = (row) => Number(row.dataset.kind === "reference");
    const rows = [...body.rows].sort(
      (a, b) => first(a) - first(b) || compare(key(a), key(b), flip) || a.dataset.line - b.dataset.line,
    );
    body.append(...rows);
    const turned = { ascending: "descending", descending: "ascending", other: "other" };
    heads.forEach((head, index) => {
      head.removeAttribute("aria-sort");
      const best = head.dataset.best || "ascending";
      if (index === column) head.setAttribute("aria-sort", flip ? turned[best] : best);
    });
    find("sort-by").value = String(column);
    tell();
  };
  const tell = () => {
    const shown = [...body.rows].filter((row) => !row.hidden).length;
    const head = heads[sorted.column];
    const words = { name: ["A to Z", "Z to A"], amount: ["most first", "fewest first"], best: ["best first", "worst first"], size: ["largest first", "smallest first"] };
    const how = head ? `, by ${title(sorted.column)}, ${words[head.dataset.words][Number(sorted.flip)]}` : "";
    find("told").textContent = `${shown} of ${body.rows.length} lines${how}`;
  };
  const title = (column) => heads[column].dataset.title;
  heads.forEach((head, column) => {
    const label = head.querySelector(".head");
    head.dataset.title = label.firstChild.textContent.trim();
    const button = element("button");
    button.type = "button";
    label.replaceWith(button);
    button.append(label);
    button.addEventListener("click", () => sortBy(column, sorted.column === column && !sorted.flip));
    option(find("sort-by"), String(column), head.dataset.label || head.dataset.title);
  });
  find("sort-by").addEventListener("change", (event) => sortBy(Number(event.target.value), false));

  // Filters.
  const filter = () => {
    const prompt = find("filter-prompt").value;
    const kind = find("filter-kind").value;
    for (const row of body.rows) {
      // A baseline answers under no prompt: it stays beside every prompt.
      const other = prompt !== "" && row.dataset.prompt !== "" && `=${row.dataset.prompt}` !== prompt;
      row.hidden = other || (kind !== "" && row.dataset.kind !== kind);
    }
    tell();
  };
  const choices = (name) => [...new Set([...body.rows].map((row) => row.dataset[name]))].filter(Boolean);
  choices("prompt").sort().forEach((prompt) => option(find("filter-prompt"), `=${prompt}`, prompt));
  choices("kind").forEach((kind) => option(find("filter-kind"), kind, kind));
  find("filter-prompt").addEventListener("change", filter);
  find("filter-kind").addEventListener("change", filter);
  document.addEventListener("submit", (event) => event.preventDefault());
  find("tools").hidden = false;

