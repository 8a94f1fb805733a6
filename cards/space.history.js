  // Every record of a version, and how the judges behind them were configured.
  const drawHistory = (history) => {
    const table = find("history");
    const heads = element("tr");
    for (const name of ["Date", "Competitor", "Prompt mode", "Tier", "Handed in by", "State", "Record"]) {
      const made = element("th", name);
      made.scope = "col";
      heads.append(made);
    }
    table.tHead.replaceChildren(heads);
    table.tBodies[0].replaceChildren(...history.map(historyRow));
  };
  const historyRow = (past) => {
    const row = element("tr", undefined, past.state);
    const cell = (content) => {
      const made = element("td");
      made.append(content);
      row.append(made);
      return made;
    };
    cell(past.date);
    cell(foreign(past.title));
    cell(foreign(past.prompt));
    cell(past.tier);
    cell(foreign(past.submitter));
    const state = cell(element("span", past.state, "state"));
    if (past.state === "superseded") state.append(" by ", element("code", past.by));
    if (past.state === "withdrawn") state.append(" ", foreign(past.reason), " (", foreign(past.taken), ")");
    cell(element("code", past.record));
    return row;
  };
  const drawJudges = (judges) => {
    const parts = judges.map((judge) => {
      const made = element("details");
      const top = element("summary", "Judge ");
      top.append(foreign(judge.name), judge.audits.length ? `, audited on ${count(judge.audits.length, "score")}` : ", not audited");
      made.append(top, facts(judge.facts));
      if (judge.audits.length) made.append(auditTable(judge.audits));
      return made;
    });
    find("judges").replaceChildren(...(parts.length ? parts : [element("p", "No score of this version comes from a judge.", "key")]));
  };
  const auditTable = (audits) => {
    const table = element("table", undefined, "plain");
    table.append(element("caption", "What planted edits and harmless rewrites showed of each score", "key"));
    const heads = element("tr");
    for (const [name] of audits[0].slice(1)) {
      const made = element("th", name);
      made.scope = "col";
      heads.append(made);
    }
    table.createTHead().append(heads);
    const body = table.createTBody();
    for (const audit of audits) {
      const row = element("tr");
      for (const [, text] of audit.slice(1)) row.append(element("td", text));
      body.append(row);
    }
    const scroll = element("div", undefined, "scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", "Audit");
    scroll.append(table);
    return scroll;
  };
