  // Filters: what is asked for, and the places of the items that answer it.
  const distance = (value, score) => {
    if (score.direction === "lower") return value;
    if (score.direction !== "target") return -value;
    if (score.target <= 0) return Math.abs(value - score.target);
    return value <= 0 ? Infinity : Math.abs(Math.log(value / score.target));
  };
  const asked = () => {
    const limit = (id) => (find(id).value.trim() === "" ? null : Math.fround(Number(find(id).value)));
    return {
      query: find("search").value,
      facets: index.facets.map((facet) => find(`facet-${facet.part}`).value),
      status: find("status").value,
      statusOf: Number(find("status-of").value),
      score: find("range-score").value,
      scoreOf: Number(find("range-of").value),
      low: limit("range-low"),
      high: limit("range-high"),
      missing: find("range-missing").checked,
      order: find("order").value,
    };
  };
  const byFacet = async (facet, value) => {
    const { counts, codes } = await facetOf(facet.part);
    // An empty choice is all, a dash is the items without a value.
    const wanted = value === "-" ? null : Number(value);
    const fits = new Uint8Array(index.items);
    let at = 0;
    counts.forEach((count, place) => {
      const own = codes.slice(at, at + count);
      at += count;
      fits[place] = Number(wanted === null ? count === 0 : own.includes(wanted));
    });
    return fits;
  };
  const matching = async (want) => {
    const { found, common: empty } = await search(want.query);
    const fits = new Uint8Array(index.items);
    if (found === null) fits.fill(1);
    else for (const place of found) fits[place] = 1;
    const keep = (test) => {
      for (let place = 0; place < fits.length; place += 1) if (fits[place] && !test(place)) fits[place] = 0;
    };
    for (const [at, facet] of index.facets.entries()) {
      if (want.facets[at] === "") continue;
      const own = await byFacet(facet, want.facets[at]);
      keep((place) => own[place]);
    }
    if (want.status !== "") {
      const { status } = await scoresOf(want.statusOf);
      const bad = (code) => code !== 0 && code !== NO_ANSWER;
      keep((place) => (want.status === "bad" ? bad(status[place]) : status[place] === Number(want.status)));
    }
    let values = null;
    if (want.score !== "") {
      values = (await scoresOf(want.scoreOf)).values(Number(want.score));
      const { status } = await scoresOf(want.scoreOf);
      keep((place) => status[place] !== NO_ANSWER);
      if (want.missing) keep((place) => Number.isNaN(values[place]));
      else {
        if (want.low !== null) keep((place) => values[place] >= want.low);
        if (want.high !== null) keep((place) => values[place] <= want.high);
      }
    }
    let places = [];
    for (let place = 0; place < fits.length; place += 1) if (fits[place]) places.push(place);
    if (values !== null && want.order !== "given") {
      const score = index.scores[Number(want.score)];
      const key = Float64Array.from(values, (value) => (Number.isNaN(value) ? NaN : distance(value, score)));
      const turn = want.order === "worst" ? -1 : 1;
      places = places.sort((a, b) => {
        const [x, y] = [key[a], key[b]];
        if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || a - b;
        return x === y ? a - b : turn * (x < y ? -1 : 1);
      });
    }
    return { places, values, empty };
  };

  const fillFilters = () => {
    for (const facet of index.facets) {
      const label = element("label", facet.name.replace(/_/g, " "));
      const select = element("select");
      select.id = `facet-${facet.part}`;
      option(select, "", "all");
      const order = facet.values.map((value, code) => [value, code]);
      order.sort((a, b) => a[0].localeCompare(b[0], "en", { numeric: true }));
      for (const [value, code] of order) option(select, String(code), value);
      option(select, "-", "without a value");
      label.append(select);
      find("facets").append(label);
    }
    index.competitors.forEach((competitor, number) => {
      option(find("status-of"), String(number), competitor.title);
      option(find("range-of"), String(number), competitor.title);
    });
    index.statuses.forEach((status, code) => option(find("status"), String(code), status));
    option(find("status"), "bad", "not ok");
    option(find("status"), String(NO_ANSWER), "not there");
    index.scores.forEach((score, number) => option(find("range-score"), String(number), score.group && score.group !== score.title ? `${score.group}: ${score.title}` : score.title));
  };

