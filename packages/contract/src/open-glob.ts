const CLASS_START = /^\[[!^]?\]?/;

/** How far the class of characters that begins at `start` goes; undefined where it has no end. */
const endOfClass = (pattern: string, start: number): number | undefined => {
  const inner = start + (CLASS_START.exec(pattern.slice(start, start + 3))?.[0].length ?? 1);
  for (let at = inner; at < pattern.length; at += 1) {
    if (pattern[at] === '\\') at += 1;
    else if (pattern[at] === ']') return at;
  }
  return undefined;
};

/**
 * The bracket or brace of a file name pattern that is opened and never closed, such as that of `[a` or `{a`: it would be taken for a
 * letter, and match nothing that anybody meant. One behind a backslash is a letter.
 */
export const findOpenBracket = (pattern: string): '[' | '{' | '(' | undefined => {
  const open: ('{' | '(')[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === '\\') at += 1;
    else if (character === '[') {
      const end = endOfClass(pattern, at);
      if (end === undefined) return '[';
      at = end;
    } else if (character === '{') open.push('{');
    else if (character === '(' && /[@?!+*]/.test(pattern[at - 1] ?? '')) open.push('(');
    else if ((character === '}' && open.at(-1) === '{') || (character === ')' && open.at(-1) === '(')) open.pop();
  }
  return open[0];
};
