import { OutboundError } from '@sheaf/outbound';
import { SourceError } from '@sheaf/sources';
import { retryAfterMs, statusFailure, toSourceError } from '@sheaf/sources/testing';
import test from 'ava';

test('Retry-After is understood in seconds and as a date, and nonsense is none', (t) => {
  const now = new Date('2026-11-20T10:00:00Z');
  t.is(retryAfterMs('120', now), 120_000);
  t.is(retryAfterMs('0', now), 0);
  t.is(retryAfterMs('Fri, 20 Nov 2026 10:01:00 GMT', now), 60_000);
  t.is(retryAfterMs('Fri, 20 Nov 2026 09:00:00 GMT', now), undefined);
  t.is(retryAfterMs('999999999', now), 24 * 60 * 60_000);
  for (const nonsense of [undefined, '', 'soon', '-5', '1e9']) t.is(retryAfterMs(nonsense, now), undefined, nonsense);
});

test('failures that may pass by themselves are told from those that somebody has to mend', (t) => {
  const isTransient = (status: number): boolean => statusFailure(status, undefined, 'host').isTransient;
  t.deepEqual([401, 403, 404, 400].map(isTransient), [false, false, false, false]);
  t.deepEqual([408, 429, 500, 503, 504].map(isTransient), [true, true, true, true, true]);
});

test('a refusal of our own says which setting decides, and everything else passes untouched', (t) => {
  const refused = toSourceError(new OutboundError('refused_address', 'h is a loopback address and not in OUTBOUND_ALLOWED_NETWORKS'));
  t.true(
    refused instanceof SourceError && refused.code === 'refused' && /OUTBOUND_ALLOWED_NETWORKS. An administrator/.test(refused.message),
  );
  const never = toSourceError(new OutboundError('refused_address', 'h is a link-local address'));
  t.true(never instanceof SourceError && !/administrator/.test(never.message));
  const reason = new Error('stopped');
  t.is(toSourceError(reason), reason);
});
