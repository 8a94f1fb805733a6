"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const board = document.getElementById("board");
  const body = board.tBodies[0];
  const heads = [...board.tHead.rows[0].cells];
  const find = (id) => document.getElementById(id);

  // All text of items and models enters the page here, as text and never as markup.
  const element = (tag, text, style) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (style) made.className = style;
    return made;
  };
  const option = (select, value, text) => {
    const made = element("option", text);
    made.value = value;
    select.append(made);
  };

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
    head.dataset.title = (label ? label.firstChild.textContent : head.textContent).trim();
    const button = element("button");
    button.type = "button";
    button.append(...head.childNodes);
    if (!label) button.firstChild.replaceWith(element("span", head.dataset.title, "head"));
    head.append(button);
    button.addEventListener("click", () => sortBy(column, sorted.column === column && !sorted.flip));
    option(find("sort-by"), String(column), head.dataset.title);
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

  // The rows behind a number.
  const drawer = find("drawer");
  let open = null;
  const openRows = (line, score) => {
    const row = body.querySelector(`tr[data-line="${line}"]`);
    const part = data.lines[line];
    if (!row || !part || !data.scores[score]) return;
    const cell = row.cells[3 + score];
    const name = [row.cells[0].dataset.key, row.dataset.prompt && `prompt ${row.dataset.prompt}`];
    open = { part, score, line };
    find("drawer-title").textContent = `${name.filter(Boolean).join(", ")}: ${title(3 + score)}`;
    const about = [".mean", ".interval", ".over"].map((style) => cell.querySelector(style)?.textContent);
    about.push(cell.querySelector("sup")?.title);
    find("drawer-about").textContent = about.filter(Boolean).join(" · ");
    find("drawer-signature").textContent = cell.dataset.signature || "";
    find("drawer-find").value = "";
    find("drawer-order").value = "given";
    showRows();
    if (!drawer.open) drawer.showModal();
    drawer.scrollTop = 0;
  };
  const showRows = () => {
    const words = find("drawer-find").value.toLowerCase();
    const order = find("drawer-order").value;
    const distance = (value) => {
      const { direction, target } = data.better[open.score];
      if (direction === "lower") return value;
      if (direction !== "target") return -value;
      if (target <= 0) return Math.abs(value - target);
      return value <= 0 ? Infinity : Math.abs(Math.log(value / target));
    };
    const key = (row) => (row.values[open.score] === null ? "" : String(distance(row.values[open.score])));
    let rows = open.part.rows.filter((row) => [...data.items[row.item], row.answer || ""].some((text) => text.toLowerCase().includes(words)));
    if (order !== "given") rows = rows.sort((a, b) => compare(key(a), key(b), order === "worst"));
    find("drawer-rows").replaceChildren(...rows.map(rowElement));
    const all = open.part.rows.length < open.part.total ? `, the first of ${open.part.total.toLocaleString("en")}` : "";
    const cut = `; texts of more than ${data.limit.toLocaleString("en")} characters are cut`;
    find("drawer-told").textContent = `${rows.length} of ${open.part.rows.length} rows${all}${cut}`;
  };
  const textElement = (heading, text, fallback) => {
    const part = element("div");
    const content = element("p", text ?? fallback, text === null ? "text none" : "text");
    content.dir = "auto";
    part.append(element("h4", heading), content);
    return part;
  };
  const rowElement = (row) => {
    const [id, name, input, reference] = data.items[row.item];
    const made = element("article", undefined, "row");
    const head = element("h3");
    const repeat = row.repeat ? ` (repeat ${row.repeat + 1})` : "";
    head.append(element("bdi", name ? `${id}: ${name}` : id), repeat);
    if (row.status !== "ok") head.append(element("span", row.status, "status bad"));
    const values = element("ul", undefined, "values");
    data.scores.forEach((score, index) => {
      const value = row.values[index];
      const why = row.missing?.[score];
      const printed = value === null ? `none${why ? ` (${why})` : ""}` : value.toFixed(data.digits[index]);
      values.append(element("li", `${title(3 + index)} ${printed}`, index === open.score ? "chosen" : ""));
    });
    const texts = element("div", undefined, "texts");
    texts.append(textElement("Reference", reference), textElement("Answer", row.answer, `no answer${row.reason ? `: ${row.reason}` : ""}`));
    made.append(head, values, texts);
    if (row.answer !== null && row.reason) made.append(element("p", row.reason, "key"));
    if (input) {
      const more = element("details");
      const content = element("p", input, "text");
      content.dir = "auto";
      more.append(element("summary", "Input"), content);
      made.append(more);
    }
    return made;
  };
  find("drawer-order").addEventListener("change", showRows);
  find("drawer-find").addEventListener("input", showRows);
  find("drawer-close").addEventListener("click", () => drawer.close());
  drawer.addEventListener("click", (event) => event.target === drawer && drawer.close());
  drawer.addEventListener("close", () => {
    const link = open && body.querySelector(`a[href="#rows=${open.line}:${open.score}"]`);
    history.replaceState(null, "", location.href.replace(/#.*$/, ""));
    open = null;
    link?.focus();
  });

  // The address says what is shown, so that a link to a number's rows can be sent.
  const follow = () => {
    const rows = /^#rows=(\d+):(\d+)$/.exec(location.hash);
    const order = /^#sort=(\d+)(:reverse)?$/.exec(location.hash);
    if (rows) openRows(Number(rows[1]), Number(rows[2]));
    else if (drawer.open) drawer.close();
    if (order && heads[Number(order[1])]) sortBy(Number(order[1]), Boolean(order[2]));
  };
  window.addEventListener("hashchange", follow);
  if (sorted.column >= 0) find("sort-by").value = String(sorted.column);
  tell();
  follow();
})();
