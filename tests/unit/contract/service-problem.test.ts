import { serviceUnavailable } from '@sheaf/contract';
import { foundProblems, joinHealth, makeProblem, problemOf, unhealthy, warning } from '@sheaf/contract/operations';
import { englishMessage } from '@sheaf/messages/english';
import test from 'ava';

test('a problem has its code, its details and the English message of both', (t) => {
  const details = { place: '/srv/uploads', free_bytes: 3 * 1024 ** 2 };
  t.deepEqual(makeProblem('storage_low_space', details), {
    code: 'storage_low_space',
    message: englishMessage('serviceProblems.storage_low_space', details),
    details,
  });
});

test('times are ISO 8601 in English: the time zone of a program is not that of its readers', (t) => {
  const at = '2026-11-22T10:00:00.000Z';
  t.true(makeProblem('database_was_unreachable', { since_at: at }).message.includes(at));
});

test('a problem of a source is named by its code', (t) => {
  const { message, details } = makeProblem('source_unreachable', { name: 'Cloud', source_problem: 'unauthorized' });
  t.true(message.endsWith(englishMessage('sources.unauthorized')), message);
  t.deepEqual(details, { name: 'Cloud', source_problem: 'unauthorized' });
});

test('a component without problems is healthy, one with several has all messages, each once', (t) => {
  t.deepEqual(foundProblems('warning', []), { status: 'healthy' });
  const [stopped, away] = [makeProblem('process_stopped', { process: 'api' }), makeProblem('database_unreachable')];
  t.deepEqual(foundProblems('unhealthy', [stopped, away, stopped]), {
    status: 'unhealthy',
    message: `${stopped.message}; ${away.message}`,
    problems: [stopped, away],
  });
});

test('joined findings have the worst status and all problems, also the message of a version that writes no codes', (t) => {
  const old = { status: 'unhealthy', message: 'of an older version' } as const;
  const joined = joinHealth({ status: 'healthy' }, warning('listener_disconnected'), old);
  t.is(joined.status, 'unhealthy');
  t.deepEqual(joined.problems, [makeProblem('listener_disconnected'), { code: 'other', message: old.message, details: {} }]);
  t.deepEqual(joinHealth({ status: 'healthy' }), { status: 'healthy' });
  t.deepEqual(joinHealth({ status: 'warning' }, { status: 'healthy' }), { status: 'warning' }, 'a status without a word stays');
  t.is(joinHealth(unhealthy('database_unreachable'), warning('listener_disconnected')).status, 'unhealthy');
});

test('an error without a reason is the code of the part, with its text', (t) => {
  t.deepEqual(problemOf(serviceUnavailable('It is away.'), 'storage_failing'), makeProblem('storage_failing', { error: 'It is away.' }));
  t.deepEqual(problemOf('text', 'storage_failing').details, { error: 'text' });
});
