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
    const all = find("drawer-all");
    // The page of items knows the scores by the same numbers as this table.
    if (all && part.competitor !== null) all.href = `${all.href.replace(/#.*$/, "")}#c=${part.competitor}&sort=${part.competitor}:${score}:worst`;
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
