import { variableMeaning } from './variable-meaning.ts';
import { VARIABLES, type VariableName } from './variables.ts';

const VARIABLE_NAMES = Object.keys(VARIABLES) as readonly VariableName[];

/** The table of all variables as Markdown, by section. docs/configuration/reference.md contains it. */
export const configurationTable = (): string => {
  const sections = Map.groupBy(
    VARIABLE_NAMES.map((name) => [name, VARIABLES[name]] as const),
    ([, variable]) => variable.section,
  );
  return [...sections]
    .map(([section, entries]) => {
      const rows = entries.map(
        ([name, { type, default: fallback }]) =>
          `| \`${name}\` | ${type} | ${fallback === undefined ? '-' : `\`${fallback}\``} | ${variableMeaning(name)} |`,
      );
      return [`### ${section}`, '', '| Variable | Type | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n');
    })
    .join('\n\n');
};
