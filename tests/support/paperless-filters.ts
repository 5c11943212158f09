import { createdOf, dayOf, filter, type Holds, idOf, type MakeFilter, type Order, TEST_NAMES, TESTS } from './plain-reading.ts';
import { DAYS, MIME_TYPES, type PlainDocument, WORDS } from './random-documents.ts';

/** Filters that saved views have rules of, and that are more than one of those below. */
const ruleFilters = (documents: number): readonly MakeFilter[] => [
  (r) => {
    const asn = 100 + r.below(documents);
    return filter('archive_serial_number', asn, (d) => d.asn === asn);
  },
  (r, { correspondents, numberOf }) => {
    const name = r.pick(['acme', 'zenith']);
    return filter('correspondent__id', numberOf('correspondent', idOf(correspondents, name)), (d) => d.from === name);
  },
  (r, { types, numberOf }) => {
    const name = r.pick(['bill', 'contract']);
    return filter('document_type__id', numberOf('document_type', idOf(types, name)), (d) => d.type === name);
  },
  (r, { owners, numberOf }) => {
    const name = r.pick([...owners.keys()]);
    return filter('owner__id', numberOf('user', idOf(owners, name)), (d) => d.owner === name);
  },
  ...(['storage_path__id', 'storage_path__id__in', 'shared_by__id'] as const).map(
    (name): MakeFilter =>
      () =>
        filter(name, 1, () => false),
  ),
  () => filter('storage_path__id__none', 1, () => true),
  (r) => {
    const part = r.pick(['amm', 'elta', 'alpha']);
    return filter('title_search', part, (d) => d.title.includes(part));
  },
  (r) => {
    const part = r.pick(['arbou', 'arde', 'elta']);
    return filter('text', part, (d) => d.title.includes(part) || d.words.some((word) => word.includes(part)));
  },
];

/** The filters of the Paperless-compatible list. `documents` is how many there are. */
export const paperlessFilters = (documents: number): readonly MakeFilter[] => [
  ...ruleFilters(documents),
  ...(['icontains', 'istartswith', 'iendswith', 'iexact'] as const).map(
    (compare): MakeFilter =>
      (r) => {
        const text = r.pick(['ALPHA', 'gamma', 'a', 'delta', '%']);
        const wanted = text.toLowerCase();
        const tests = {
          icontains: (title: string) => title.includes(wanted),
          istartswith: (title: string) => title.startsWith(wanted),
          iendswith: (title: string) => title.endsWith(wanted),
          iexact: (title: string) => title === wanted,
        };
        return filter(`title__${compare}`, text, (d) => tests[compare](d.title));
      },
  ),
  ...(['created', 'added', 'modified'] as const).flatMap((field): MakeFilter[] => {
    const value = (d: PlainDocument): string => (field === 'created' ? createdOf(d) : dayOf(field === 'added' ? d.created : d.modified));
    return [
      ...TEST_NAMES.map(
        (test): MakeFilter =>
          (r) => {
            const day = r.pick(DAYS);
            return filter(`${field}__date__${test}`, day, (d) => TESTS[test](value(d), day));
          },
      ),
      (r) => {
        const month = r.pick([1, 2, 7, 12]);
        return filter(`${field}__month`, month, (d) => Number(value(d).slice(5, 7)) === month);
      },
      (r) => {
        const year = r.pick([2023, 2024, 2025]);
        return filter(`${field}__year`, year, (d) => Number(value(d).slice(0, 4)) === year);
      },
      (r) => {
        const day = r.pick([1, 15, 29, 31]);
        return filter(`${field}__day`, day, (d) => Number(value(d).slice(8)) === day);
      },
    ];
  }),
  ...(['added', 'modified'] as const).flatMap((field) =>
    TEST_NAMES.map(
      (test): MakeFilter =>
        (r) => {
          const moment = `${r.pick(DAYS)}T12:00:00Z`;
          return filter(`${field}__${test}`, moment, (d) =>
            TESTS[test](Date.parse(field === 'added' ? d.created : d.modified), Date.parse(moment)),
          );
        },
    ),
  ),
  ...(['all', 'in', 'none'] as const).flatMap((match): MakeFilter[] => [
    (r, { labels, numberOf }) => {
      const names = [r.pick(['blue', 'green']), 'red'];
      const tests = {
        all: (d: PlainDocument) => names.every((name) => d.labels.includes(name)),
        in: (d: PlainDocument) => names.some((name) => d.labels.includes(name)),
        none: (d: PlainDocument) => !names.some((name) => d.labels.includes(name)),
      };
      return filter(
        `tags__id__${match}`,
        names.map((name) => numberOf('tag', idOf(labels, name))),
        tests[match],
      );
    },
    (_, { fields, numberOf }) => {
      const numbers = [...fields.values()].map((id) => numberOf('custom_field', id));
      const tests = {
        all: (d: PlainDocument) => d.place !== null && d.amount !== null,
        in: (d: PlainDocument) => d.place !== null || d.amount !== null,
        none: (d: PlainDocument) => d.place === null && d.amount === null,
      };
      return filter(`custom_fields__id__${match}`, numbers, tests[match]);
    },
  ]),
  ...(['in', 'none'] as const).flatMap((match): MakeFilter[] => [
    (r, { correspondents, numberOf }) => {
      const name = r.pick(['acme', 'zenith']);
      return filter(
        `correspondent__id__${match}`,
        numberOf('correspondent', idOf(correspondents, name)),
        (d) => (d.from === name) === (match === 'in'),
      );
    },
    (r, { types, numberOf }) => {
      const name = r.pick(['bill', 'contract']);
      return filter(
        `document_type__id__${match}`,
        numberOf('document_type', idOf(types, name)),
        (d) => (d.type === name) === (match === 'in'),
      );
    },
    (r, { owners, numberOf }) => {
      const name = r.pick([...owners.keys()]);
      return filter(`owner__id__${match}`, numberOf('user', idOf(owners, name)), (d) => (d.owner === name) === (match === 'in'));
    },
  ]),
  ...(
    [
      ['is_tagged', (d) => d.labels.length > 0],
      ['has_custom_fields', (d) => d.place !== null || d.amount !== null],
      ['correspondent__isnull', (d) => d.from === null],
      ['document_type__isnull', (d) => d.type === null],
      ['archive_serial_number__isnull', (d) => d.asn === null],
      ['owner__isnull', () => false],
      ['storage_path__isnull', () => true],
      ['is_in_inbox', () => false],
    ] as const satisfies readonly (readonly [string, Holds])[]
  ).map(
    ([name, holds]): MakeFilter =>
      (r) => {
        const wanted = r.chance(0.5);
        return filter(name, wanted, (d) => holds(d) === wanted);
      },
  ),
  ...TEST_NAMES.map(
    (test): MakeFilter =>
      (r) => {
        const asn = 100 + r.below(documents);
        return filter(`archive_serial_number__${test}`, asn, (d) => d.asn !== null && TESTS[test](d.asn, asn));
      },
  ),
  (r) => {
    const type = r.pick(MIME_TYPES);
    return filter('mime_type', type.toUpperCase(), (d) => d.mimeType === type);
  },
  (r) => {
    const text = r.pick(['arb', 'hill', '2.5']);
    return filter('custom_fields__icontains', text, (d) => (d.place ?? '').includes(text) || String(d.amount ?? '').includes(text));
  },
  (r, { fields, numberOf }) => {
    const [amount, test] = [r.pick([1, 2.5, 50]), r.pick(TEST_NAMES)];
    const [place, number] = [numberOf('custom_field', fields.get('Place') ?? ''), numberOf('custom_field', fields.get('Amount') ?? '')];
    const query = [
      'OR',
      [
        [number, test, amount],
        ['NOT', [place, 'exists', true]],
        [place, 'istartswith', 'HI'],
      ],
    ];
    return filter(
      'custom_field_query',
      JSON.stringify(query),
      (d) => (d.amount !== null && TESTS[test](d.amount, amount)) || d.place === null || d.place === 'hill',
    );
  },
  (r) => {
    const word = r.pick(WORDS);
    return filter('content__icontains', word, (d) => d.words.includes(word));
  },
  (r) => {
    const word = r.pick([...WORDS, 'gamma']);
    return filter('title_content', word, (d) => d.words.some((one) => one === word) || d.title.includes(word));
  },
  (r) => {
    const [word, label, day] = [r.pick(WORDS), r.pick(['red', 'blue']), r.pick(DAYS)];
    return filter('query', `(${word} OR tag:${label}) NOT created:[${day} to ${day.slice(0, 4)}]`, (d) => {
      const created = createdOf(d);
      return (d.words.includes(word) || d.labels.includes(label)) && !(created >= day && created <= `${day.slice(0, 4)}-12-31`);
    });
  },
  (r) => {
    const [asn, name] = [100 + r.below(documents), r.pick(['acme', 'zenith'])];
    return filter('query', `asn:[${asn} to] OR NOT correspondent:${name}`, (d) => (d.asn !== null && d.asn >= asn) || d.from !== name);
  },
  (r) => {
    const day = r.pick(DAYS);
    return filter(
      'query',
      `added:{to ${day.replaceAll('-', '')}] -type:bill owner:bertha`,
      (d) => dayOf(d.created) <= day && d.type !== 'bill' && d.owner === 'bertha',
    );
  },
];

export const PAPERLESS_ORDERS: readonly Order[] = [
  ['id', (d) => Date.parse(d.created)],
  ['created', (d) => d.dated],
  ['added', (d) => Date.parse(d.created)],
  ['modified', (d) => Date.parse(d.modified)],
  ['title', (d) => d.title],
  ['archive_serial_number', (d) => d.asn],
  ['correspondent__name', (d) => d.from],
  ['document_type__name', (d) => d.type],
  ['owner', (d) => d.owner],
  ['num_notes', (d) => d.notes.length],
  ['page_count', (d) => d.pages],
];
