  // Keys, the address, and the start.
  const wait = (milliseconds, act) => {
    let timer = 0;
    return () => {
      clearTimeout(timer);
      timer = setTimeout(act, milliseconds);
    };
  };
  const again = () => refresh().catch(failed);
  const remember = (id) => {
    const state = new URLSearchParams({ item: id, c: compared.join(",") });
    if (find("search").value) state.set("q", find("search").value);
    history.replaceState(null, "", `#${state}`);
  };
  const typing = (target) => target.matches("input:not([type='checkbox']), select, textarea");
  const act = {
    j: () => step(1),
    ArrowRight: () => step(1),
    k: () => step(-1),
    ArrowLeft: () => step(-1),
    "/": () => find("search").focus(),
    f: () => {
      find("filters").open = true;
      find("filters").querySelector("summary").focus();
    },
    c: () => {
      find("shown").open = true;
      find("shown-boxes").querySelector("input")?.focus();
    },
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !index) return;
    if (event.key === "Escape" && event.target === find("search")) {
      const mine = buttons().find((button) => button.tabIndex === 0);
      event.preventDefault();
      mine?.focus();
      return;
    }
    if (typing(event.target)) return;
    const inList = find("list").contains(event.target);
    const move = inList ? { ArrowDown: () => step(1), ArrowUp: () => step(-1), Home: () => choose(0, true), End: () => choose(places.length - 1, true) } : {};
    const wanted = move[event.key] || act[event.key];
    if (!wanted) return;
    event.preventDefault();
    wanted();
  });
  document.addEventListener("submit", (event) => event.preventDefault());

  const opened = async () => {
    const state = new URLSearchParams(location.hash.slice(1));
    const known = (number) => Number.isInteger(number) && number >= 0 && number < index.competitors.length;
    const named = (state.get("c") || "").split(",").filter(Boolean).map(Number).filter(known);
    const models = index.competitors.flatMap((competitor, number) => (competitor.kind === "model" ? [number] : []));
    const others = index.competitors.map((_, number) => number);
    const ranked = [...models, ...others.filter((number) => !models.includes(number))];
    // Those asked about the same split stand first: of any other, most items have no answer.
    const together = ranked.filter((number) => index.competitors[number].split === index.competitors[ranked[0]].split);
    compared = named.length ? named : [...new Set([...together, ...ranked])].slice(0, SHOWN_FIRST);
    const order = /^(\d+):(\d+):(worst|best)$/.exec(state.get("sort") || "");
    if (order && known(Number(order[1])) && index.scores[Number(order[2])]) {
      find("range-of").value = order[1];
      find("range-score").value = order[2];
      find("order").value = order[3];
    }
    find("search").value = state.get("q") || "";
    return state.get("item");
  };
  // An id is searched like a word; the list says which of the hits is the item itself.
  const placeOf = async (id) => {
    const { found } = await search(id);
    for (const place of found || []) if ((await entryOf(place))[0] === id) return place;
    return null;
  };
  const start = async () => {
    index = await load("index");
    fillFilters();
    const id = await opened();
    fillCompared();
    find("search").addEventListener("input", wait(200, again));
    find("filters-form").addEventListener("change", again);
    for (const limit of ["range-low", "range-high"]) find(limit).addEventListener("input", wait(300, again));
    find("marks").addEventListener("change", () => inView && showItem(inView.place));
    find("clear").addEventListener("click", () => {
      find("filters-form").reset();
      find("search").value = "";
      again();
    });
    find("page-back").addEventListener("click", () => turnPage(-1));
    find("page-on").addEventListener("click", () => turnPage(1));
    find("step-back").addEventListener("click", () => step(-1));
    find("step-on").addEventListener("click", () => step(1));
    await refresh(id ? await placeOf(id) : null);
    document.documentElement.dataset.ready = "yes";
  };
  start().catch(failed);
