import { VARIABLES } from './variables.ts';

/** The table of all variables as Markdown, by section. docs/configuration/reference.md contains it. */
export const configurationTable = (): string => {
  const sections = Map.groupBy(Object.entries(VARIABLES), ([, variable]) => variable.section);
  return [...sections]
    .map(([section, entries]) => {
      const rows = entries.map(
        ([name, { type, default: fallback, meaning }]) =>
          `| \`${name}\` | ${type} | ${fallback === undefined ? '-' : `\`${fallback}\``} | ${meaning} |`,
      );
      return [`### ${section}`, '', '| Variable | Type | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n');
    })
    .join('\n\n');
};
