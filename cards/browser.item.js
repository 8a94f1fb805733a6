  // The item in view: reference and answers side by side, scores below, the input last.
  const SHOWN_FIRST = 2;
  let compared = [];
  let inView = null;
  const showNothing = () => {
    inView = null;
    find("item-title").textContent = "No item found";
    for (const id of ["item-facts", "texts", "scores", "input"]) find(id).replaceChildren();
  };
  const printed = (value, score) => (value === null || value === undefined ? "none" : value.toFixed(score.digits));
  const heading = (text, status) => {
    const made = element("h3");
    made.append(element("bdi", text));
    if (status && status !== "ok") made.append(element("span", status, "status bad"));
    return made;
  };
  const answerElement = (competitor, answer, reference, marks) => {
    const made = element("article");
    const repeat = answer.repeat ? ` (repeat ${answer.repeat + 1})` : "";
    made.append(heading(competitor.title + repeat, answer.status));
    if (answer.answer === null) made.append(element("p", "No answer.", "text none"));
    else made.append(textElement(answer.answer, reference || null, marks));
    if (answer.reason) made.append(element("p", answer.reason, "key"));
    return made;
  };
  const scoreTable = (columns) => {
    const table = element("table");
    const head = table.createTHead().insertRow();
    const corner = element("th", "Score");
    corner.scope = "col";
    head.append(corner);
    for (const { title } of columns) {
      const cell = element("th", undefined, "number");
      cell.scope = "col";
      cell.append(element("bdi", title));
      head.append(cell);
    }
    const body = table.createTBody();
    let group = "";
    index.scores.forEach((score, number) => {
      const several = index.scores.filter((other) => other.group === score.group).length > 1;
      if (score.group !== group && several) {
        const row = body.insertRow();
        const cell = element("th", score.judge ? `${score.group} (judge)` : score.group);
        cell.scope = "rowgroup";
        cell.colSpan = columns.length + 1;
        row.append(cell);
      }
      const row = body.insertRow();
      if (score.group !== group && !several && number) row.className = "first";
      group = score.group;
      const name = element("th", score.title);
      name.scope = "row";
      row.append(name);
      for (const { answer } of columns) {
        const cell = element("td", printed(answer.values[number], score), "number");
        const why = answer.missing[number];
        if (answer.values[number] === null && why) cell.append(element("span", why, "why"));
        row.append(cell);
      }
    });
    return table;
  };
  const showItem = async (place) => {
    const turn = (inView = { place });
    try {
      const [[id], item, ...found] = await Promise.all([entryOf(place), itemOf(place), ...compared.map((number) => answersOf(number, place))]);
      if (turn !== inView) return;
      find("item-title").replaceChildren(element("bdi", item.title ? `${id}: ${item.title}` : id));
      const marks = {
        numbers: find("numbers").checked,
        differences: find("differences").value,
        searched: parsed(find("search").value),
        known: null,
      };
      const columns = compared.flatMap((number, at) => found[at].map((answer) => ({ number, answer, title: index.competitors[number].title + (answer.repeat ? ` (repeat ${answer.repeat + 1})` : "") })));
      const used = [...new Set(compared.map((number) => index.competitors[number].reference))];
      const input = numbersIn(item.input);
      const known = (number) => ({ reference: numbersIn(item.references[number]), input });
      const parts = (used.length ? used : [0]).map((number) => {
        const made = element("article", undefined, "reference");
        made.append(heading(index.references.length > 1 ? `Reference: ${index.references[number]}` : "Reference"));
        if (item.references[number]) made.append(textElement(item.references[number], null, { ...marks, known: known(number) }));
        else made.append(element("p", "No reference.", "text none"));
        return made;
      });
      for (const { number, answer } of columns) {
        const competitor = index.competitors[number];
        parts.push(answerElement(competitor, answer, item.references[competitor.reference], { ...marks, known: known(competitor.reference) }));
      }
      compared.forEach((number, at) => {
        if (found[at].length) return;
        const made = element("article");
        made.append(heading(index.competitors[number].title), element("p", "Was not asked about this item.", "text none"));
        parts.push(made);
      });
      find("texts").replaceChildren(...parts);
      find("scores").replaceChildren(...(columns.length ? [element("h3", "Scores of these answers"), scoreTable(columns)] : []));
      const given = element("p", item.input, "text");
      given.dir = "auto";
      find("input").replaceChildren(...(item.input ? [element("h3", "What the models were shown"), given] : []));
      find("item-facts").textContent = await factsOf(place);
      const at = current < 0 ? "" : `Item ${(current + 1).toLocaleString("en")} of ${places.length.toLocaleString("en")}: `;
      find("announce").textContent = `${at}${find("item-title").textContent}`;
      remember(id);
    } catch (error) {
      failed(error);
    }
  };
  const factsOf = async (place) => {
    const parts = [];
    for (const facet of index.facets) {
      const { counts, codes } = await facetOf(facet.part);
      let at = 0;
      for (let before = 0; before < place; before += 1) at += counts[before];
      const values = codes.slice(at, at + counts[place]).map((code) => facet.values[code]);
      if (values.length) parts.push(`${facet.name.replace(/_/g, " ")}: ${values.join(", ")}`);
    }
    return parts.join(" · ");
  };
  const fillCompared = () => {
    index.competitors.forEach((competitor, number) => {
      const label = element("label");
      const box = element("input");
      box.type = "checkbox";
      box.checked = compared.includes(number);
      box.addEventListener("change", () => {
        compared = [...find("shown-boxes").querySelectorAll("input")].flatMap((other, at) => (other.checked ? [at] : []));
        tellCompared();
        if (inView) showItem(inView.place);
      });
      label.append(box, " ", element("bdi", competitor.title));
      find("shown-boxes").append(label);
    });
    tellCompared();
  };
  const tellCompared = () => {
    const names = compared.map((number) => index.competitors[number].title);
    find("shown-told").textContent = names.length ? names.join("; ") : "nothing";
  };
  const failed = (error) => {
    find("told").textContent = error.message;
    find("told").classList.add("bad");
  };

