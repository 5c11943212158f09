import { ReportingExporter } from '@sheaf/process/testing';
import test from 'ava';
import { makeNotedLogger } from '../../support/noted-logger.ts';

type Inner = ConstructorParameters<typeof ReportingExporter>[0];
type Result = Parameters<Parameters<Inner['export']>[1]>[0];

const resultOf = (error: Error | undefined): Result => {
  const code: unknown = error === undefined ? 0 : 1; // of an enum that tests cannot name
  return { code, error } as unknown as Result;
};

test('that a collector is away is told once, and once that it is there again, with what was lost', (t) => {
  const { log, lines } = makeNotedLogger();
  let error: Error | undefined = new Error('refused');
  const inner: Inner = {
    export: (_spans, done) => done(resultOf(error)),
    shutdown: async () => {},
  };
  const exporter = new ReportingExporter(inner, log);
  const send = (): void => exporter.export([{}, {}] as never, () => {});
  for (let n = 0; n < 3; n += 1) send();
  t.is(lines.filter((line) => line.includes('refused')).length, 1);
  t.true(exporter.isAway);
  error = undefined;
  for (let n = 0; n < 3; n += 1) send();
  t.is(lines.filter((line) => line.includes('lost_spans: 6')).length, 1);
  t.false(exporter.isAway);
  error = new Error('refused again');
  for (let n = 0; n < 3; n += 1) send();
  t.is(lines.filter((line) => line.includes('refused again')).length, 1);
});
