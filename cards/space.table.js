  // The board: a line a competitor, a column a score.
  const SVG = "http://www.w3.org/2000/svg";
  const WIDTH = 96;
  const shape = (tag, attributes) => {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
    return made;
  };
  // One axis for all numbers of a column; the reference, a ceiling, would squeeze the others.
  const axisOf = (lines, at, score) => {
    const ends = lines.filter((line) => line.kind !== "reference" && line.cells[at]?.[VALUE] != null).flatMap(({ cells }) => [cells[at][LOW] ?? cells[at][VALUE], cells[at][HIGH] ?? cells[at][VALUE]]);
    if (score.direction === "target" && ends.length) ends.push(score.target);
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    return ends.length && high > low ? { low, high } : null;
  };
  const bar = (cell, score, axis) => {
    const x = (value) => 4 + ((WIDTH - 8) * (value - axis.low)) / (axis.high - axis.low);
    const drawn = shape("svg", { class: "bar", width: WIDTH, height: 12, "aria-hidden": "true" });
    drawn.append(shape("line", { class: "track", x1: 4, x2: WIDTH - 4, y1: 6, y2: 6 }));
    if (score.direction === "target") drawn.append(shape("line", { class: "target", x1: x(score.target), x2: x(score.target), y1: 0, y2: 12 }));
    if (cell[LOW] !== null) drawn.append(shape("line", { class: "whisker", x1: x(cell[LOW]), x2: x(cell[HIGH]), y1: 6, y2: 6 }));
    drawn.append(shape("circle", { cx: x(cell[VALUE]), cy: 6, r: 3.25 }));
    return drawn;
  };

  let group = null;
  let shown = [];
  let sorted = { key: "rank", flip: false };
  const ranked = () => Number(find("ranked-by").value);

  const rankCell = (line, sharing) => {
    const cell = line.cells[ranked()];
    const made = element("td", undefined, "rank");
    made.dataset.label = "Rank";
    if (!cell || cell[RANK] === null) {
      made.append(element("span", "–", "none"));
      return made;
    }
    made.append(element("span", String(cell[RANK]), cell[RANK] === 1 ? "place first" : "place"));
    if (cell[FROM] !== cell[TO]) made.append(element("span", `${cell[FROM]}–${cell[TO]}`, "over"));
    const others = sharing.get(cell[RANK]) - 1;
    if (others) made.append(element("span", `shared by ${others + 1}`, "hidden"));
    return made;
  };
  const nameCell = (line) => {
    const made = element("th");
    made.scope = "row";
    made.append(foreign(line.title));
    const about = [line.kind === "model" ? "" : line.kind, line.prompt ? "" : "no prompt", line.group, line.scale, line.access].filter(Boolean);
    if (about.length) made.append(element("span", about.join(", "), "kind"));
    if (line.hub) {
      const where = element("span", undefined, "kind");
      where.append(link(line.hub, `https://huggingface.co/${line.hub}`));
      made.append(where);
    }
    return made;
  };
  const numberCell = (line, at, axis) => {
    const score = group.scores[at];
    const cell = line.cells[at];
    const made = element("td", undefined, "number");
    made.dataset.label = score.title;
    if (!cell) {
      made.append(element("span", "–", "none"));
      return made;
    }
    if (cell[RANK] === 1) made.classList.add("first");
    if (line.kind !== "model") made.classList.add("other");
    const value = element("button", printed(cell[VALUE], score.digits), "mean");
    value.type = "button";
    value.setAttribute("aria-label", `${line.title}, ${score.title}: ${printed(cell[VALUE], score.digits)}. Details`);
    value.addEventListener("click", () => openRecord(line, at, value));
    made.append(value);
    if (cell[LOW] !== null) made.append(element("span", `[${printed(cell[LOW], score.digits)}, ${printed(cell[HIGH], score.digits)}]`, "interval"));
    if (cell[VALUE] !== null && axis && line.kind !== "reference") made.append(bar(cell, score, axis));
    const parts = [cell[RANK] === null ? "" : places(cell), `n ${cell[N].toLocaleString("en")}`, cell[MISSING] ? `${cell[MISSING].toLocaleString("en")} missing` : ""];
    made.append(element("span", parts.filter(Boolean).join(", "), "over"));
    if (cell[VALUE] === null && cell[WHY]) made.append(foreign(cell[WHY], "over"));
    return made;
  };
  const rowOf = (line, axes, sharing) => {
    const row = element("tr");
    row.dataset.record = line.record;
    row.append(rankCell(line, sharing), nameCell(line));
    shown.forEach((at, place) => row.append(numberCell(line, at, axes[place])));
    const tier = element("td", line.tier);
    tier.dataset.label = "Tier";
    const when = element("td", undefined, "when");
    when.dataset.label = "Handed in";
    when.append(line.date, element("br"), foreign(line.submitter, "kind"));
    row.append(tier, when);
    return row;
  };

  const head = (key, label, style, score) => {
    const made = element("th", undefined, style);
    made.scope = "col";
    const button = element("button", label);
    button.type = "button";
    button.dataset.key = key;
    button.addEventListener("click", () => {
      sorted = { key, flip: sorted.key === key && !sorted.flip };
      draw();
      find("board").querySelector(`button[data-key="${key}"]`).focus();
    });
    made.append(button);
    if (sorted.key === key) made.setAttribute("aria-sort", descends(key) !== sorted.flip ? "descending" : "ascending");
    if (score?.audit) made.append(element("span", score.audit, "under"));
    if (score?.task) made.append(element("span", `task ${score.task}`, "under"));
    return made;
  };
  const descends = (key) => key.startsWith("score:") && group.scores[Number(key.slice(6))].direction === "higher";

  // What has no rank goes last whichever way; the order of the board decides between equals.
  const keyOf = (line) => {
    if (sorted.key === "name") return line.title.toLowerCase();
    if (sorted.key === "tier" || sorted.key === "date") return line[sorted.key];
    const at = sorted.key === "rank" ? ranked() : Number(sorted.key.slice(6));
    const cell = line.cells[at];
    if (sorted.key === "rank") return cell && cell[RANK] !== null ? cell[RANK] + 1e-6 * line.place : null;
    // A ceiling or a claim that nobody checked heads no column either.
    const counts = cell && cell[VALUE] !== null && (cell[RANK] !== null || group.scores[at].direction === "none");
    return counts ? distance(group.scores[at], cell[VALUE]) : null;
  };
  const ordered = (lines) => {
    const keyed = lines.map((line) => [keyOf(line), line]);
    const order = (a, b) => (a === null) - (b === null) || (a === null ? 0 : (a < b ? -1 : Number(a > b)) * (sorted.flip ? -1 : 1));
    return keyed.sort((a, b) => order(a[0], b[0]) || a[1].place - b[1].place).map(([, line]) => line);
  };
  const wanted = (line) => {
    const words = find("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const text = [line.title, line.model, line.hub, line.submitter, line.group, line.record].join(" ").toLowerCase();
    const chosen = ["tier", "access", "kind"].every((name) => !find(name).value || `=${line[name]}` === find(name).value);
    return chosen && words.every((word) => text.includes(word));
  };

  const draw = () => {
    const table = find("board");
    const lines = ordered(group.lines.filter(wanted));
    const axes = shown.map((at) => axisOf(group.lines, at, group.scores[at]));
    const sharing = new Map();
    for (const line of group.lines) {
      const rank = line.cells[ranked()]?.[RANK];
      if (rank != null) sharing.set(rank, (sharing.get(rank) || 0) + 1);
    }
    const heads = element("tr");
    heads.append(head("rank", "Rank", "rank"), head("name", "Competitor", "name"));
    for (const at of shown) heads.append(head(`score:${at}`, `${group.scores[at].title} ${arrow(group.scores[at])}`.trim(), "number", group.scores[at]));
    heads.append(head("tier", "Tier"), head("date", "Handed in"));
    table.tHead.replaceChildren(heads);
    const rows = lines.map((line) => rowOf(line, axes, sharing));
    if (sorted.key === "rank") {
      const rank = (at) => lines[at].cells[ranked()]?.[RANK] ?? null;
      rows.forEach((row, at) => at && rank(at) !== rank(at - 1) && row.classList.add("apart"));
    }
    table.tBodies[0].replaceChildren(...rows);
    const score = group.scores[ranked()];
    find("told").textContent = `${lines.length} of ${count(group.lines.length, "competitor")}${score ? `, ranked by ${score.title}` : ""}`;
    find("caption").textContent = `Competitors of version ${find("version").value}, ${find("group").selectedOptions[0]?.textContent}`;
    const why = new Map();
    for (const line of score ? group.lines : []) {
      const cell = line.cells[ranked()];
      if (cell && cell[RANK] === null && cell[WHY]) why.set(cell[WHY], [...(why.get(cell[WHY]) || []), line.title]);
    }
    const parts = [...why].map(([reason, titles]) => foreign(`${titles.join(", ")} (${reason})`));
    find("unranked").replaceChildren(...(parts.length ? ["Not ranked: ", ...parts.flatMap((part, at) => (at ? ["; ", part] : [part])), "."] : []));
  };
