  const find = (id) => document.getElementById(id);

  // All text of others enters a page here, as text and never as markup.
  const element = (tag, text, style) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (style) made.className = style;
    return made;
  };
  const option = (select, value, text) => {
    const made = element("option", text);
    made.value = value;
    select.append(made);
  };

