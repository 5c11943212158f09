import { stringify } from 'yaml';
import { FILE_PLACES } from './file-places.ts';
import { VARIABLES } from './variables.ts';

const HEAD = `# service.yml of Sheaf: copy it to the folder of the project, or name it by --config-file or CONFIG_FILE.
# What stands here goes before the defaults, and behind the environment and the command line. Every key is shown with its
# default; one without a value is unset. \${NAME} stands for a variable of the environment, \${NAME:-otherwise} for one that may be
# unset, $\${ for a plain \${. The whole name of a variable in lower case is taken as a key too. Keep secrets out, or the file closed.
# Made by \`npm run docs\`; bin/sheaf --config-file FILE --validate checks a copy.
`;

const valueText = (type: string, value: string | undefined): string => {
  if (value === undefined) return '';
  // a list as a list; anything else as the text it is, quoted where YAML would read something else into it
  const yaml = type === 'list' ? stringify(value.split(','), { collectionStyle: 'flow', flowCollectionPadding: false }) : plain(value);
  return ` ${yaml.trimEnd()}`;
};

/** Numbers and switches are taken as they are written, so they need no quotes. */
const plain = (value: string): string => (/^(-?\d+(\.\d+)?|true|false)$/.test(value) ? value : stringify(value, { lineWidth: 0 }));

/** A service.yml with every variable, each commented out beside its meaning. deploy/service.example.yml has it. */
export const exampleServiceFile = (): string => {
  const sections = Map.groupBy(FILE_PLACES, ([, { section }]) => section);
  const texts = [...sections].map(([section, entries]) => {
    const keys = entries.map(([name, { key }]) => {
      const { type, default: fallback, meaning } = VARIABLES[name];
      return `  # ${name}: ${meaning}\n  #${key}:${valueText(type, fallback)}\n`;
    });
    return `\n${section}:\n${keys.join('')}`;
  });
  return `${HEAD}${texts.join('')}`;
};
