  // A record: how its number was made, and the scores of its items.
  const PAGE = 50;
  const drawer = find("drawer");
  let opener = null;
  const openRecord = async (line, at, from) => {
    const score = group.scores[at];
    const cell = line.cells[at];
    opener = from;
    find("drawer-title").replaceChildren(foreign(line.title), line.prompt ? ", prompt mode " : "", foreign(line.prompt), `: ${score.title}`);
    const ends = cell[LOW] === null ? "" : `[${printed(cell[LOW], score.digits)}, ${printed(cell[HIGH], score.digits)}]`;
    const told = [printed(cell[VALUE], score.digits), ends, cell[LOW] === null ? "" : score.interval, `n ${cell[N].toLocaleString("en")}`, `${cell[MISSING].toLocaleString("en")} missing`, cell[RANK] === null ? "not ranked" : places(cell), cell[WHY]];
    find("drawer-about").textContent = told.filter(Boolean).join(" · ");
    find("drawer-signature").textContent = "";
    find("drawer-body").replaceChildren(element("p", "Loading.", "key"));
    if (!drawer.open) drawer.showModal();
    drawer.scrollTop = 0;
    try {
      const record = await load(`record-${line.record}`);
      find("drawer-signature").textContent = record.signatures[score.name] || "";
      find("drawer-body").replaceChildren(...recordParts(record, score));
    } catch (error) {
      find("drawer-body").replaceChildren(element("p", error.message, "warning"));
    }
  };
  const recordParts = (record, score) => {
    const parts = [];
    if (record.files.length) {
      const files = element("p", "Files: ", "key");
      record.files.forEach(([name, address], at) => files.append(at ? ", " : "", link(name, address)));
      parts.push(files);
    }
    parts.push(...(record.items ? itemParts(record.items, score) : [element("h3", "Scores of items"), foreign(record.withheld || "none are kept", "key")]));
    parts.push(element("h3", "How it was made"), facts(record.facts));
    return parts;
  };
  const itemParts = (items, score) => {
    const columns = Object.keys(items.values);
    const values = Object.fromEntries(columns.map((name) => [name, floats(items.values[name])]));
    const own = values[score.name];
    const cut = items.ids.length < items.of ? `, the first of ${items.of.toLocaleString("en")}` : "";
    const form = element("form");
    const search = element("input");
    search.type = "search";
    const order = element("select");
    for (const [value, text] of [["worst", "worst first"], ["best", "best first"], ["given", "by id"]]) option(order, value, text);
    const named = (text, control) => {
      const label = element("label", `${text} `);
      label.append(control);
      return label;
    };
    const told = element("output");
    told.setAttribute("role", "status");
    form.append(named("Id or text", search), named("Order", order), told);
    form.addEventListener("submit", (event) => event.preventDefault());
    const list = element("div");
    const more = element("button", "Show more");
    more.type = "button";
    let shownItems = PAGE;
    const show = () => {
      const words = search.value.toLowerCase();
      const has = (at) => [items.ids[at], ...(items.texts?.[at] || [])].some((text) => text.toLowerCase().includes(words));
      let found = items.ids.map((_, at) => at).filter(has);
      const key = (at) => (own && !Number.isNaN(own[at]) ? distance(score, own[at]) : null);
      const last = (a, b) => (key(a) === null) - (key(b) === null);
      if (order.value !== "given") found = found.sort((a, b) => last(a, b) || (key(a) === null ? 0 : (key(a) - key(b)) * (order.value === "best" ? 1 : -1)));
      told.textContent = `${found.length.toLocaleString("en")} of ${count(items.ids.length, "item")}${cut}`;
      list.replaceChildren(...found.slice(0, shownItems).map((at) => itemElement(items, values, at, score)));
      more.hidden = found.length <= shownItems;
    };
    search.addEventListener("input", () => { shownItems = PAGE; show(); });
    order.addEventListener("change", () => { shownItems = PAGE; show(); });
    more.addEventListener("click", () => { shownItems += PAGE; show(); });
    show();
    return [element("h3", "Scores of items"), form, list, more];
  };
  const itemElement = (items, values, at, score) => {
    const made = element("details", undefined, "one");
    const top = element("summary");
    const value = values[score.name]?.[at];
    top.append(foreign(items.ids[at]), ` ${value === undefined || Number.isNaN(value) ? "no value" : printed(value, score.digits)}`);
    made.append(top);
    made.addEventListener("toggle", () => {
      if (made.childElementCount > 1) return;
      const digits = Object.fromEntries(group.scores.map((one) => [one.name, one]));
      made.append(facts(Object.keys(values).map((name) => [digits[name]?.title || name, Number.isNaN(values[name][at]) ? "no value" : printed(values[name][at], digits[name]?.digits ?? 3)])));
      const texts = items.texts?.[at];
      if (!texts) return;
      const [title, input, reference, answer] = texts;
      const grid = element("div", undefined, "texts");
      for (const [heading, text] of [["Title", title], ["Input", input], ["Reference", reference], ["Answer", answer]]) {
        if (!text) continue;
        const part = element("div");
        const content = element("p", text, "text");
        content.dir = "auto";
        part.append(element("h4", heading), content);
        grid.append(part);
      }
      made.append(grid);
    });
    return made;
  };
  find("drawer-close").addEventListener("click", () => drawer.close());
  drawer.addEventListener("click", (event) => event.target === drawer && drawer.close());
  drawer.addEventListener("close", () => opener?.isConnected && opener.focus());
