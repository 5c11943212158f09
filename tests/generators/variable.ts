import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NAME = /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*$/;

/** How a variable of each kind is declared, with a default that is valid. */
const KINDS: Readonly<Record<string, readonly [declaration: string, value: string]>> = {
  text: ['text', 'undefined'],
  secret: ['secret', 'undefined'],
  boolean: ['boolean', "'false'"],
  integer: ['integer(0, 1_000)', "'0'"],
  seconds: ['seconds(1)', "'60'"],
  list: ['list', "''"],
  folder: ["folder('own')", 'undefined'],
};

export interface NewVariable {
  readonly name: string;
  /** Of those in KINDS. */
  readonly kind: string;
  /** The heading under which the reference lists it; an existing one. */
  readonly group: string;
}

/** The groups of variables in files of them. */
const groupsOf = (texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(/\('([^']+)', \{/g)].map(([, group = '']) => group))),
];

/** Adds a variable behind the last one of its group in `folder`, packages/config/src, and returns the path of that file. */
export const newVariable = (folder: string, { name, kind, group }: NewVariable): string => {
  if (!NAME.test(name)) throw new Error(`"${name}" is not a name such as OCR_PAGE_LIMIT`);
  const [declaration, value] = KINDS[kind] ?? [];
  if (declaration === undefined) throw new Error(`"${kind}" is none of ${Object.keys(KINDS).join(', ')}`);
  const files = globSync('**/*variables.ts', { cwd: folder }).map((file) => ({
    path: join(folder, file),
    text: readFileSync(join(folder, file), 'utf8'),
  }));
  if (files.some(({ text }) => new RegExp(`^\\s*${name}: `, 'm').test(text))) throw new Error(`${name} is declared already`);
  const entry = `('${group}', {`;
  const found = files.find(({ text }) => text.includes(entry));
  if (found === undefined) throw new Error(`"${group}" is none of ${groupsOf(files.map(({ text }) => text)).join(', ')}`);
  const { path, text } = found;
  const start = text.lastIndexOf(entry);
  const end = text.indexOf('}),\n', start) + '}),\n'.length;
  const [, factory = ''] = /^(\w+)/.exec(declaration) ?? [];
  const added = `  ${name}: ${declaration}('${group}', { default: ${value}, meaning: 'what it does, its unit' }),\n`;
  const declared = `${text.slice(0, end)}${added}${text.slice(end)}`;
  const withImport = declared.replace(/import \{ ([^}]*) \} from '\.\/variable\.ts';/, (line, names: string) =>
    names.split(', ').includes(factory)
      ? line
      : `import { ${[...names.split(', '), factory].toSorted().join(', ')} } from './variable.ts';`,
  );
  writeFileSync(path, withImport);
  return path;
};
