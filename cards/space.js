  // What is chosen: a version, a prompt mode, scores, who is ranked by what.
  let table = null;
  const values = (name) => [...new Set(group.lines.map((line) => line[name]))].filter(Boolean).sort();
  const refill = (id, options, keep) => {
    const select = find(id);
    const before = keep ? select.value : "";
    select.replaceChildren();
    for (const [value, text] of options) option(select, value, text);
    if (options.some(([value]) => value === before)) select.value = before;
  };

  const showVersion = async () => {
    const { part } = index.versions.find(({ version }) => version === find("version").value);
    table = await load(part);
    const several = new Set(table.groups.map(({ split }) => split)).size > 1;
    const named = ({ split, mode }) => (mode || "without a prompt") + (several ? `, split ${split}` : "");
    refill("group", table.groups.map((one, at) => [String(at), named(one)]), true);
    // The first prompt mode that has a headline number, where the page just opened.
    const leading = table.groups.findIndex(({ scores }) => scores.some(({ task }) => task));
    if (!group && leading > 0) find("group").value = String(leading);
    drawHistory(table.history);
    drawJudges(table.judges);
    showGroup();
  };
  const showGroup = () => {
    group = table.groups[Number(find("group").value)] || { scores: [], lines: [] };
    group.lines.forEach((line, place) => { line.place = place; });
    const metrics = [...new Set(group.scores.map(({ metric }) => metric))];
    const kind = (metric) => (group.scores.some((score) => score.metric === metric && score.judged) ? "judge" : "metric");
    const headline = group.scores.some(({ task }) => task);
    const choices = metrics.map((metric) => [`=${metric}`, `${kind(metric)} ${metric}`]);
    refill("metric", [...(headline ? [["tasks", "headline"]] : []), ["all", "all"], ...choices], true);
    for (const name of ["tier", "access", "kind"]) refill(name, [["", "any"], ...values(name).map((value) => [`=${value}`, value])], true);
    showScores();
  };
  const showScores = () => {
    const chosen = find("metric").value;
    const mine = (score) => (chosen === "tasks" ? score.task : chosen === "all" || `=${score.metric}` === chosen);
    shown = group.scores.map((_, at) => at).filter((at) => mine(group.scores[at]));
    const directed = shown.filter((at) => group.scores[at].direction !== "none");
    refill("ranked-by", directed.map((at) => [String(at), group.scores[at].title]), true);
    sorted = { key: "rank", flip: false };
    placeLines();
    draw();
  };
  // Lines that share a rank stand with the better mean first; equals in the order they came.
  const placeLines = () => {
    const at = ranked();
    const score = group.scores[at];
    const key = (line) => (line.cells[at]?.[VALUE] == null || !score ? Infinity : distance(score, line.cells[at][VALUE]));
    const order = [...group.lines].sort((a, b) => key(a) - key(b) || a.place - b.place || 0);
    order.forEach((line, place) => { line.place = place; });
  };

  for (const id of ["choice", "filters"]) find(id).addEventListener("submit", (event) => event.preventDefault());
  find("version").addEventListener("change", showVersion);
  find("group").addEventListener("change", showGroup);
  find("metric").addEventListener("change", showScores);
  find("ranked-by").addEventListener("change", () => {
    sorted = { key: "rank", flip: false };
    placeLines();
    draw();
  });
  for (const id of ["tier", "access", "kind"]) find(id).addEventListener("change", draw);
  find("find").addEventListener("input", draw);
  find("clear").addEventListener("click", () => {
    for (const id of ["find", "tier", "access", "kind"]) find(id).value = "";
    draw();
  });

  let index = null;
  load("index").then(async (content) => {
    index = content;
    for (const { version } of index.versions) option(find("version"), version, version);
    await showVersion();
    document.documentElement.dataset.ready = "yes";
  }).catch((error) => {
    find("told").textContent = error.message;
  });
