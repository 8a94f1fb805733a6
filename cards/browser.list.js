  // The list: a page of what was found; one entry is current and has the place in the tab order.
  const PAGE = 50;
  let places = [];
  let shownValues = null;
  let current = -1;
  let latest = 0;
  const buttons = () => [...find("list").querySelectorAll("button")];
  const renderList = async () => {
    const turn = latest;
    const from = current < 0 ? 0 : Math.floor(current / PAGE) * PAGE;
    const page = places.slice(from, from + PAGE);
    const entries = await Promise.all(page.map(entryOf));
    if (turn !== latest) return;
    const score = index.scores[Number(find("range-score").value)];
    const rows = page.map((place, at) => {
      const [id, name] = entries[at];
      const row = element("li");
      const button = element("button");
      button.type = "button";
      button.dataset.at = String(from + at);
      if (shownValues) {
        const value = shownValues[place];
        button.append(element("span", Number.isNaN(value) ? "none" : value.toFixed(score.digits), "value"));
      }
      const head = element("span", undefined, "id");
      head.append(element("bdi", id));
      button.append(head, element("bdi", name));
      button.addEventListener("click", () => choose(from + at).then(() => find("item-title").focus()));
      row.append(button);
      return row;
    });
    find("list").replaceChildren(...rows);
    markCurrent();
    const last = Math.min(from + PAGE, places.length);
    find("page-told").textContent = places.length ? `${(from + 1).toLocaleString("en")} to ${last.toLocaleString("en")} of ${places.length.toLocaleString("en")}` : "";
    find("page-back").disabled = from === 0;
    find("page-on").disabled = last >= places.length;
  };
  const markCurrent = () => {
    for (const button of buttons()) {
      const mine = Number(button.dataset.at) === current;
      if (mine) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
      button.tabIndex = mine || (current < 0 && button === buttons()[0]) ? 0 : -1;
      if (mine) button.scrollIntoView({ block: "nearest" });
    }
    find("step-back").disabled = current <= 0;
    find("step-on").disabled = current >= places.length - 1;
  };
  // Makes an entry current and shows its item; focus stays where it is, or in the list.
  const choose = async (at, focus = false) => {
    if (at < 0 || at >= places.length) return;
    const turned = Math.floor(at / PAGE) !== Math.floor(current / PAGE) || !buttons().length;
    current = at;
    if (turned) await renderList();
    else markCurrent();
    if (focus) buttons().find((button) => Number(button.dataset.at) === current)?.focus();
    await showItem(places[current]);
  };
  const step = (by) => choose(current + by, find("list").contains(document.activeElement));
  const turnPage = (by) => choose((Math.floor(Math.max(current, 0) / PAGE) + by) * PAGE);

  // Finds the items again after a filter changed; the item in view stays current where it is found.
  const refresh = async (place = current < 0 ? null : places[current]) => {
    latest += 1;
    const turn = latest;
    find("told").textContent = "Searching.";
    const want = asked();
    const result = await matching(want);
    if (turn !== latest) return;
    places = result.places;
    shownValues = result.values;
    const kept = place === null ? -1 : places.indexOf(place);
    current = kept >= 0 ? kept : places.length ? 0 : -1;
    const noted = result.empty.length ? `; too common to search for: ${result.empty.join(", ")}` : "";
    const cut = index.items < index.of ? ` (the first of ${index.of.toLocaleString("en")})` : "";
    find("told").textContent = `${places.length.toLocaleString("en")} of ${index.items.toLocaleString("en")} items${cut}${noted}`;
    const used = want.facets.filter(Boolean).length + Number(want.status !== "") + Number(want.score !== "");
    find("filters-told").textContent = used ? `(${used} in use)` : "";
    await renderList();
    if (current >= 0) await showItem(places[current]);
    else showNothing();
  };

