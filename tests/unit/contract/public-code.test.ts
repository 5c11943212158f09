import { AppError, publicCodeOf, toErrorEnvelope } from '@sheaf/contract';
import { ERROR_CODES, ERROR_REASONS, ERROR_STATUS } from '@sheaf/vocabulary/error-codes';
import test from 'ava';

const TABLE = Object.keys(ERROR_STATUS);

test('an error leaves under a code of the table or of one resource, and what is finer is the reason', (t) => {
  for (const code of ERROR_CODES) {
    const { code: told, reason } = publicCodeOf({ code, kind: 'FORBIDDEN' });
    t.true(TABLE.includes(told) || told.endsWith('_NOT_FOUND'), code);
    t.is(reason, told === code ? undefined : code.toLowerCase());
  }
  for (const kind of TABLE) t.deepEqual(publicCodeOf({ code: kind as 'FORBIDDEN', kind: kind as 'FORBIDDEN' }), { code: kind });
});

test('no reason stands for two conditions', (t) => {
  const all = [...ERROR_CODES.map((code) => code.toLowerCase()), ...ERROR_REASONS];
  t.is(new Set(all).size, all.length);
});

test('the envelope has the reason among the details', (t) => {
  const full = new AppError('SERVICE_UNAVAILABLE', 'Full.', { code: 'QUEUE_FULL', details: { limit: 2 } });
  t.like(toErrorEnvelope(full, 'an id', new Date(0)).error, { code: 'SERVICE_UNAVAILABLE', details: { reason: 'queue_full', limit: 2 } });
  const absent = new AppError('NOT_FOUND', 'Gone.', { code: 'DOCUMENT_NOT_FOUND', details: { document_id: 'x' } });
  t.deepEqual(toErrorEnvelope(absent, 'an id', new Date(0)).error.details, { document_id: 'x' });
  t.is(toErrorEnvelope(absent, 'an id', new Date(0)).error.code, 'DOCUMENT_NOT_FOUND');
});
