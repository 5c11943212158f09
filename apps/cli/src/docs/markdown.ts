/** Text that stands in a cell of a Markdown table. Braces would be template syntax of the static site. */
export const toCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('{{', '{ {');

/** A Markdown table, whose cells are Markdown. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(toCell).join(' | ')} |`).join('\n');
