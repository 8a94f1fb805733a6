  // Search: which items hold all words, from the parts of the index that hold those words.
  const WORD = /[\p{L}\p{N}_]+/gu;
  const SHORTEST_BEGINNING = 3;
  const wordPart = async (number) => {
    const part = await load(`words-${padded(number, 4)}`);
    if (!part.decoded) {
      const counts = varints(part.counts);
      let end = 0;
      part.decoded = { words: part.words.split(" "), ends: counts.map((count) => (end += count)), deltas: varints(part.deltas) };
    }
    return part.decoded;
  };
  const placesAt = (part, number) => {
    const places = [];
    let place = 0;
    for (let at = number ? part.ends[number - 1] : 0; at < part.ends[number]; at += 1) {
      place += part.deltas[at];
      places.push(place);
    }
    return places;
  };
  // The first position in a sorted list whose entry is not below a word.
  const lowest = (list, word) => {
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle] < word) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const placesOf = async (word, beginning) => {
    const first = index.words.first;
    const found = new Set();
    const from = lowest(first, word);
    // The part before the one that starts at or after the word may hold it.
    for (let number = Math.max(0, from - 1); number < first.length; number += 1) {
      if (number >= from && !(beginning ? first[number].startsWith(word) : first[number] === word)) break;
      const part = await wordPart(number);
      for (let at = lowest(part.words, word); at < part.words.length; at += 1) {
        if (beginning ? !part.words[at].startsWith(word) : part.words[at] !== word) break;
        for (const place of placesAt(part, at)) found.add(place);
      }
    }
    return found;
  };
  const LONGEST = 40;
  const parsed = (query) => {
    const text = query.toLowerCase();
    return [...text.matchAll(WORD)].map((hit) => ({
      word: [...hit[0]].slice(0, LONGEST).join(""),
      beginning: text[hit.index + hit[0].length] === "*" && hit[0].length >= SHORTEST_BEGINNING,
    }));
  };
  // Returns the items that hold all words (null for all items) and the words that tell nothing.
  const search = async (query) => {
    const common = [];
    let found = null;
    for (const { word, beginning } of parsed(query)) {
      if (!beginning && index.words.common.includes(word)) {
        common.push(word);
        continue;
      }
      const places = await placesOf(word, beginning);
      found = found === null ? places : new Set([...found].filter((place) => places.has(place)));
    }
    return { found, common };
  };

