import { XmlReader } from '@sheaf/sandbox/containers';
import { dateInName } from './date-in-name.ts';
import { labelPath, MAX_SIDECAR_BYTES, type SidecarFacts } from './sidecar.ts';

/** Deeper than any program writes them. */
const MAX_DEPTH = 50;
const MAX_VALUES = 1_000;

/** Properties of XMP, by which fact they tell; of several the first one counts. */
const TITLES = ['dc:title', 'photoshop:Headline'];
const DATES = ['photoshop:DateCreated', 'exif:DateTimeOriginal', 'xmp:CreateDate', 'dc:date'];
/** Labels with those above them, and what separates these. */
const TREES: Readonly<Record<string, string>> = { 'lr:hierarchicalSubject': '|', 'digiKam:TagsList': '/', 'microsoft:LastKeywordXMP': '/' };

/** The values of each property, as attributes or as elements, whatever list they stand in. */
const readValues = (bytes: Buffer): Map<string, string[]> => {
  const values = new Map<string, string[]>();
  const open: string[] = [];
  let text = '';
  const add = (property: string, value: string): void => {
    const known = values.get(property) ?? [];
    if (value !== '' && known.length < MAX_VALUES) values.set(property, [...known, value]);
  };
  /** The property that an element is of: rdf:li and its lists are not properties. */
  const propertyOf = (): string | undefined => open.findLast((name) => !name.startsWith('rdf:') && !name.startsWith('x:'));
  const reader = new XmlReader(
    {
      open: (name, attributes) => {
        open.push(name);
        text = '';
        if (name === 'rdf:Description') for (const [property, value] of Object.entries(attributes)) add(property, value.trim());
      },
      text: (more) => {
        text += more;
      },
      close: () => {
        const property = propertyOf();
        if (property !== undefined) add(property, text.trim());
        text = '';
        open.pop();
      },
    },
    { maxDepth: MAX_DEPTH, maxChars: MAX_SIDECAR_BYTES },
  );
  reader.write(bytes);
  const end = reader.end();
  if (end !== 'whole') throw new Error(`the XML is ${end.replace('_', ' ')}`);
  return values;
};

/** What an XMP file beside a document says of it. Throws an error whose message says what is wrong with the file. */
export const readXmpSidecar = (bytes: Buffer): SidecarFacts => {
  const values = readValues(bytes);
  const first = (names: readonly string[]): string | undefined => names.flatMap((name) => values.get(name) ?? [])[0];
  const date = first(DATES);
  const trees = Object.entries(TREES).flatMap(([name, separator]) => (values.get(name) ?? []).map((text) => labelPath(text, separator)));
  // the flat list repeats the names of the others
  const inTrees = new Set(trees.flat());
  const flat = (values.get('dc:subject') ?? []).filter((label) => !inTrees.has(label)).map((label) => [label]);
  return {
    title: first(TITLES),
    documentDate: date === undefined ? undefined : dateInName(date.replaceAll(':', '-')),
    correspondent: first(['dc:creator']),
    documentType: first(['dc:type']),
    labels: [...trees, ...flat].filter((path) => path.length > 0),
    notes: (values.get('dc:description') ?? []).map((text) => ({ text })),
  };
};
