  // Columns: a heading folds its group down to the first column, the chooser shows single ones.
  const FIRST = 3;
  const groupHeads = [...board.querySelectorAll("tr.groups th")];
  const chosen = heads.map(() => true);
  const folded = groupHeads.map(() => false);
  const groupOf = (column) => Number(heads[column].dataset.group ?? -1);
  const membersOf = (group) => heads.map((_, column) => column).filter((column) => column >= FIRST && groupOf(column) === group);
  const visible = (column) => {
    if (column < FIRST || !chosen[column]) return column < FIRST;
    const group = groupOf(column);
    return !folded[group] || membersOf(group).find((other) => chosen[other]) === column;
  };
  const showColumns = () => {
    heads.forEach((head, column) => {
      if (column < FIRST) return;
      const hidden = !visible(column);
      head.hidden = hidden;
      for (const row of body.rows) row.cells[column].hidden = hidden;
      // These rows open with one cell that spans the first three columns.
      for (const row of board.querySelectorAll("tr.audits, tr.axes")) row.cells[column - FIRST + 1].hidden = hidden;
    });
    groupHeads.forEach((head, group) => {
      const shown = membersOf(group).filter(visible).length;
      head.hidden = shown === 0;
      head.colSpan = Math.max(shown, 1);
      const button = head.querySelector("button");
      if (!button) return;
      button.setAttribute("aria-expanded", String(!folded[group]));
      button.querySelector(".mark").textContent = folded[group] ? "▸ " : "▾ ";
    });
    const all = heads.length - FIRST;
    const shown = heads.filter((_, column) => column >= FIRST && visible(column)).length;
    find("chooser").querySelector("summary").textContent = shown === all ? `Columns (${all})` : `Columns (${shown} of ${all})`;
  };
  groupHeads.forEach((head, group) => {
    const label = head.querySelector(".group");
    if (!label || membersOf(group).length < 2) return;
    const button = element("button");
    button.type = "button";
    label.replaceWith(button);
    const mark = element("span", "", "mark");
    mark.setAttribute("aria-hidden", "true");
    button.append(mark, label);
    button.addEventListener("click", () => {
      folded[group] = !folded[group];
      showColumns();
    });
  });
  const boxes = new Map();
  const choose = (columns, on) => {
    for (const column of columns) {
      chosen[column] = on;
      boxes.get(column).checked = on;
    }
    showColumns();
  };
  const chooser = find("chooser-columns");
  const groupTitle = (group) => groupHeads[group]?.querySelector(".group")?.textContent.trim() || "Scores";
  for (const group of [...new Set(heads.slice(FIRST).map((head) => Number(head.dataset.group)))]) {
    const set = element("fieldset");
    const members = membersOf(group);
    set.append(element("legend", groupTitle(group)));
    for (const column of members) {
      const box = element("input");
      box.type = "checkbox";
      box.checked = true;
      boxes.set(column, box);
      box.addEventListener("change", () => choose([column], box.checked));
      const label = element("label");
      label.append(box, ` ${title(column)}`);
      set.append(label);
    }
    chooser.append(set);
  }
  for (const [words, on] of [["Show all", true], ["Hide all", false]]) {
    const button = element("button", words);
    button.type = "button";
    button.addEventListener("click", () => choose([...boxes.keys()], on));
    chooser.append(button);
  }
  showColumns();

