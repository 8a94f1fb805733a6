  // Texts: words that differ from the reference, numbers, and words that were searched.
  const TOKEN = /[\p{L}\p{N}_]+(?:[.,·][\p{N}]+)*|\s+|[^\p{L}\p{N}_\s]/gu;
  const NUMBER = /^[\p{N}]+(?:[.,·][\p{N}]+)*$/u;
  const MOST_CELLS = 4_000_000;
  const tokens = (text) => text.match(TOKEN) || [];
  const isWord = (token) => /[\p{L}\p{N}_]/u.test(token);
  // 1,234 and 1234 are one number, 0.5 and 0·5 too.
  const numberKey = (token) => {
    const plain = token.replace(/·/g, ".");
    const value = Number(/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain) ? plain.replace(/,/g, "") : plain.replace(",", "."));
    // 1.2.3 and ⁴ are themselves and no other number.
    return Number.isNaN(value) ? token : String(value);
  };
  const numbersIn = (text) => new Set(tokens(text).filter((token) => NUMBER.test(token)).map(numberKey));

  // The longest common run of words (Wagner and Fischer 1974), case apart; null when too long.
  const common = (left, right) => {
    const [a, b] = [left, right].map((words) => words.map((word) => word.toLowerCase()));
    if ((a.length + 1) * (b.length + 1) > MOST_CELLS) return null;
    const width = b.length + 1;
    const table = new Uint16Array((a.length + 1) * width);
    for (let i = a.length - 1; i >= 0; i -= 1) {
      for (let j = b.length - 1; j >= 0; j -= 1) {
        table[i * width + j] = a[i] === b[j] ? table[(i + 1) * width + j + 1] + 1 : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
      }
    }
    const pairs = [];
    let [i, j] = [0, 0];
    while (i < a.length && j < b.length) {
      if (a[i] === b[j]) pairs.push([i++, j++]);
      else if (table[(i + 1) * width + j] >= table[i * width + j + 1]) i += 1;
      else j += 1;
    }
    return pairs;
  };

  const numberElement = (token, known) => {
    const key = numberKey(token);
    const where = known.reference.has(key) ? "" : known.input.has(key) ? "given" : "new";
    const made = element("span", token, `num ${where}`.trim());
    if (where === "new") made.append(element("span", " (neither in the reference nor in the input)", "hidden"));
    return made;
  };
  const tokenNode = (token, marks) => {
    const hit = marks.searched.some(({ word, beginning }) => (beginning ? token.toLowerCase().startsWith(word) : token.toLowerCase() === word));
    const content = marks.numbers && NUMBER.test(token) ? numberElement(token, marks.known) : document.createTextNode(token);
    if (!hit) return content;
    const made = element("mark");
    made.append(content);
    return made;
  };

  // A text as a paragraph; where it is compared, added words stand in ins and lost ones in del.
  const textElement = (text, against, marks) => {
    const made = element("p", undefined, "text");
    made.dir = "auto";
    const mine = tokens(text);
    const words = mine.filter(isWord);
    const theirs = against === null || marks.differences === "none" ? null : tokens(against).filter(isWord);
    const pairs = theirs === null ? null : common(words, theirs);
    const kept = new Map(pairs || []);
    let [word, lost] = [0, 0];
    let run = null;
    const flush = () => {
      if (!run) return;
      const space = /^\s+$/.test(run.lastChild.textContent) ? run.lastChild : null;
      made.append(run);
      // The space after the last added word is nobody's difference.
      if (space) made.append(space);
      run = null;
    };
    const leave = (end) => {
      if (marks.differences !== "both" || lost >= end) return;
      flush();
      made.append(element("del", theirs.slice(lost, end).join(" ")), " ");
    };
    for (const token of mine) {
      const node = tokenNode(token, marks);
      if (pairs === null || !isWord(token)) {
        // Punctuation and space between two added words belong to them, else they stand alone.
        if (run && /^\s+$/.test(token)) run.append(node);
        else {
          flush();
          made.append(node);
        }
        continue;
      }
      const partner = kept.get(word);
      word += 1;
      if (partner === undefined) {
        run ??= element("ins");
        run.append(node);
      } else {
        flush();
        leave(partner);
        lost = partner + 1;
        made.append(node);
      }
    }
    flush();
    if (pairs !== null) leave(theirs.length);
    if (theirs !== null && pairs === null) made.append(element("span", " (too long to be compared)", "key"));
    return made;
  };

