import { AppError } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import { FatalError, makeLogger } from '@sheaf/process';
import { errorText } from '@sheaf/process/errors';
import test from 'ava';
import { keepLines } from '../../support/log-lines.ts';

const MARK = 'Minutes of the board';
const PAGE = `${MARK}. `.repeat(50_000);

const openLog = (format: 'json' | 'text' = 'json') => {
  const lines = keepLines();
  return { ...lines, log: makeLogger({ level: 'debug', format }, 'test', lines.output) };
};

const caught = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

/** As pg gives what the server says. */
const fromServer = (code: string, message: string): Error =>
  Object.assign(new Error(message), {
    code,
    severity: 'ERROR',
    routine: 'ExecConstraints',
    detail: `Failing row contains (1, ${MARK}).`,
    where: `COPY pages, line 1: "${MARK}"`,
    internalQuery: `select '${MARK}'`,
    constraint: 'pages_check',
    table: 'pages',
  });

/** As the query layer of drizzle makes it where nobody stands in between. */
const ofQuery = (): Error =>
  Object.assign(
    new Error(`Failed query: insert into pages values ($1)\nparams: ${PAGE}`, { cause: fromServer('23514', 'violates check') }),
    {
      name: 'DrizzleQueryError',
      query: 'insert into pages values ($1)',
      params: [PAGE],
    },
  );

const ERRORS: Readonly<Record<string, () => unknown>> = {
  'of a query': ofQuery,
  'of the server, with a value in its message': () => fromServer('22P02', `invalid input syntax for type uuid: "${MARK}"`),
  'of the server, with a row in its detail': () =>
    fromServer('23514', 'new row for relation "pages" violates check constraint "pages_check"'),
  'as a cause': () => new AppError('SERVICE_UNAVAILABLE', 'later', { cause: new Error('outer', { cause: ofQuery() }) }),
  'in an AggregateError': () => new AggregateError([new Error('one'), ofQuery()], 'many'),
  'in a SuppressedError': () => new SuppressedError(ofQuery(), new Error('first', { cause: ofQuery() }), 'disposal'),
  'of a parser': () => caught(() => JSON.parse(`{"text": ${MARK}}`)),
  'of a library': () => {
    const error = new TypeError(`cannot parse ${MARK}`);
    error.stack = `TypeError: cannot parse ${MARK}\n    at parse (file:///srv/sheaf/node_modules/some-parser/index.js:1:1)`;
    return error;
  },
  'with fields': () => Object.assign(new Error('failed'), { request: { body: PAGE }, rows: [MARK], stderr: MARK }),
  'which is its own cause': () => {
    const error: Error & { cause?: unknown } = ofQuery();
    error.cause = error;
    return error;
  },
};

for (const [name, make] of Object.entries(ERRORS))
  test(`an error ${name} leaves no text of a document in the log, and its line is short`, (t) => {
    for (const format of ['json', 'text'] as const) {
      const { log, text } = openLog(format);
      const error = make();
      log.error({ err: error }, 'failed');
      log.warn({ error, deep: { cause: [error] } }, 'failed');
      log.error({ err: error });
      log.error(error);
      log.error({ reason: errorText(error) }, errorText(error));
      t.false(text().includes(MARK), text().slice(0, 2_000));
      for (const line of text().split('\n')) t.true(Buffer.byteLength(line) <= 16 * 1024);
    }
  });

test('what helps to find the reason is shown: type, code, constraint, statement, own messages, where it was thrown', (t) => {
  const { log, entries } = openLog();
  log.error({ err: new AppError('NOT_FOUND', 'The folder is gone.', { cause: fromServer('23514', 'violates "pages_check"') }) }, 'failed');
  log.error({ err: new FatalError(makeProblem('sandbox_missing')) }, 'failed');
  log.error({ err: Object.assign(new Error("EACCES: permission denied, open '/data/x'"), { code: 'EACCES', syscall: 'open' }) }, 'failed');
  const [first, second, third] = entries().map(({ err }) => err as Record<string, unknown>);
  t.like(first, {
    type: 'AppError',
    message: 'The folder is gone.',
    kind: 'NOT_FOUND',
    cause: { code: '23514', constraint: 'pages_check' },
  });
  t.regex(String(first?.['stack']), /log-errors\.test\.ts/);
  t.is(second?.['message'], makeProblem('sandbox_missing').message);
  t.like(third, { code: 'EACCES', message: "EACCES: permission denied, open '/data/x'" });
});

test('a line is never longer than 16 kB: the longest fields give way, what identifies the work stays', (t) => {
  const { log, entries, text } = openLog();
  log.info({ job_id: 'j-1', pages: 12, big: 'x'.repeat(1_000_000), list: Array.from({ length: 50_000 }, (_, n) => n) }, 'done');
  log.info(Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`field_${n}`, n])), 'many');
  log.info({ job_id: 'j-2' }, 'm'.repeat(100_000));
  log.info({ job_id: 'é'.repeat(100_000) }, 'wide');
  t.like(entries()[0], { job_id: 'j-1', pages: 12, msg: 'done', cut_fields: ['big', 'list'] });
  t.like(entries()[1], { msg: 'many' });
  t.is(entries().length, 4);
  for (const line of text().split('\n')) t.true(Buffer.byteLength(line) <= 16 * 1024, String(Buffer.byteLength(line)));
});
