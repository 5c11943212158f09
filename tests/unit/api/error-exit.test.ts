import { once } from 'node:events';
import { get, type Server } from 'node:http';
import { errorEnvelope, requestId, toAppError } from '@sheaf/api/testing';
import { makeLogger, systemClock } from '@sheaf/process';
import test from 'ava';
import express from 'express';
import { keepLines } from '../../support/log-lines.ts';
import { waitFor } from '../../support/wait-for.ts';

/** A service whose one route goes on until its client is gone, and fails then. */
const given = async (failure: Error) => {
  const lines = keepLines();
  const log = makeLogger({ level: 'debug', format: 'json' }, 'api', lines.output);
  const app = express();
  app.use(requestId());
  app.get('/slow', async (_request, response) => {
    response.flushHeaders();
    await once(response, 'close');
    throw failure;
  });
  app.use(errorEnvelope(log, systemClock));
  const server: Server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const leave = async (): Promise<Record<string, unknown>> => {
    const request = get({ host: '127.0.0.1', port: typeof address === 'object' ? address?.port : 0, path: '/slow' });
    request.on('error', () => undefined);
    await once(request, 'response');
    request.destroy();
    return waitFor(() => lines.entries().at(-1), { description: 'a line of the log', limitMs: 20_000 });
  };
  return { leave, stop: () => server.close() };
};

test('work that is abandoned because the client left is no failure', async (t) => {
  const { leave, stop } = await given(new DOMException('This operation was aborted', 'AbortError'));
  t.teardown(stop);
  t.like(await leave(), { level: 20, msg: 'client disconnected', path: '/slow' });
});

test('nor is an answer that has nowhere to go any more', async (t) => {
  const { leave, stop } = await given(Object.assign(new Error('Cannot pipe to a closed stream'), { code: 'ERR_STREAM_UNABLE_TO_PIPE' }));
  t.teardown(stop);
  t.like(await leave(), { level: 20, msg: 'client disconnected' });
});

test('work that fails after the client left is one', async (t) => {
  const { leave, stop } = await given(new Error('the disk is broken'));
  t.teardown(stop);
  t.like(await leave(), { level: 50, msg: 'request failed', path: '/slow' });
});

test('who lost against somebody at the same moment is told to try again, and not that the service is broken', (t) => {
  for (const code of ['40P01', '40001']) {
    const cause = Object.assign(new Error('deadlock detected'), { code });
    const told = toAppError(new Error('Failed query', { cause }));
    t.is(told.status, 503);
    t.regex(told.message, /Try again/);
    t.notRegex(told.message, /deadlock/);
  }
});

test('that the disk of the database is full is told as that, and passes as soon as there is room', (t) => {
  const error = toAppError(Object.assign(new Error('could not extend file'), { code: '53100' }));
  t.is(error.status, 503);
  t.is(error.message, 'The disk of the database is full. Free up disk space.');
});
