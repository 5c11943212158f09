/** One statement of the top level of a source file: a test, a hook, a helper. */
interface Chunk {
  readonly text: string;
  /** What it declares, if it declares something. */
  readonly name: string | undefined;
}

const DECLARATION = /^(?:export )?(?:async )?(?:const|let|function\*?|class) (?:\{\s*)?([A-Za-z_$][\w$]*)/;
const HOOK = /^test\.(?:before|beforeEach|serial\.before)(?:\.always)?\(/;

/** A line that starts a statement: formatted sources indent everything else, or close with a bracket. */
const startsChunk = (line: string): boolean => /^[^\s})\]`]/.test(line);

const toChunks = (source: string): Chunk[] => {
  const texts: string[] = [];
  for (const line of source.split('\n')) {
    if (startsChunk(line)) texts.push(line);
    else if (texts.length > 0) texts[texts.length - 1] += `\n${line}`;
  }
  return texts.filter((text) => !/^(?:import |\/\/|\/\*)/.test(text)).map((text) => ({ text, name: DECLARATION.exec(text)?.[1] }));
};

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);

const isWordOf = (word: string, text: string): boolean => new RegExp(`(?<![\\w$])${escape(word)}(?![\\w$])`).test(text);

/** `test(`, or what a file calls it, such as `withLdap(`, also where it is chosen on the spot or by the run; never a plain `test.skip(`. */
const opensTest = (title: string): RegExp =>
  new RegExp(
    `(?:(?<![\\w.])[a-z]\\w*(?:\\.serial)?|fullOnly\\([a-z]\\w*(?:\\.serial)?\\)|\\? test : test\\.skip\\))\\(\\s*(['"\`])${escape(title)}\\1\\s*,`,
  );

const withoutComments = (text: string): string => text.replaceAll(/^\s*\/\/.*$/gm, '');

/**
 * The source of the test with this title, with everything of its file that it uses: the hooks, and the declarations that it names,
 * and those that they name. Undefined where the file has no such test, or several.
 */
export const findTestSource = (source: string, title: string): string | undefined => {
  const chunks = toChunks(withoutComments(source));
  const [own, second] = chunks.filter(({ text }) => opensTest(title).test(text));
  if (own === undefined || second !== undefined) return undefined;
  // what the title names is not set by that
  const used = [{ ...own, text: own.text.replace(title, '') }, ...chunks.filter(({ text }) => HOOK.test(text))];
  for (let index = 0; index < used.length; index += 1) {
    const text = used[index]?.text ?? '';
    used.push(
      ...chunks.filter((chunk) => chunk !== own && chunk.name !== undefined && !used.includes(chunk) && isWordOf(chunk.name, text)),
    );
  }
  return used.map(({ text }) => text).join('\n');
};

const flagOf = (name: string): string => `--${name.toLowerCase().replaceAll('_', '-')}`;

/** Whether `source` names the variable, has its flag, or sets the field of the configuration that it becomes. */
export const setsVariable = (source: string, name: string, field: string | undefined): boolean =>
  isWordOf(name, source) ||
  source.includes(`'${flagOf(name)}`) ||
  (field !== undefined && new RegExp(`(?<![\\w$.])${escape(field)}(?:: |[,}]| \\})`).test(source));

/** Whether `sources`, those of the configuration, make this field from the variable, in one statement of a few lines. */
export const isFieldOf = (sources: string, field: string, name: string): boolean =>
  new RegExp(`(?<![\\w$])${escape(field)}:(?:(?!\\n\\s*\\w+:).){0,300}?(?<![\\w$])${escape(name)}(?![\\w$])`, 's').test(sources);
