import { toNotificationMail } from '@sheaf/events/testing/notifications';
import { englishTranslator } from '@sheaf/messages/english';
import type { NotificationType } from '@sheaf/vocabulary/notifications';
import { screenAt } from '@sheaf/web/testing';
import test from 'ava';

const PUBLIC_URL = 'https://papers.example.org';

const linkOf = (type: NotificationType, data: Readonly<Record<string, unknown>>): string | undefined => {
  const payload = { type, timestamp: '2026-01-02T03:04:05.000Z', data: { user_id: 'u-1', title: 'Told', message: 'Something', ...data } };
  const facts = { publicUrl: PUBLIC_URL, deliveryId: 'x', to: 'ann@example.org', translator: englishTranslator() };
  const { text, html = '' } = toNotificationMail(payload, facts);
  const link = /^https:.*$/m.exec(text)?.[0];
  return html.includes(`<a href="${link}">`) ? link : undefined;
};

for (const [type, data, screen] of [
  ['ocr_completed', { document_id: 'd-1' }, '/documents/d-1'],
  ['duplicate_skipped', { filename: 'a.pdf', route: 'watch', document_id: 'd-1' }, '/documents/d-1'],
  ['ocr_completed', { count: 2, document_ids: ['d-1', 'd-2'] }, '/notifications'],
  ['sync_failed', { source_id: 's-1', job_id: 'r-1' }, '/sources/s-1'],
  ['alert', { component: 'source:s-1', level: 'warning' }, '/sources/s-1'],
  ['alert', { component: 'file_storage', level: 'critical' }, '/service-health'],
  ['security', { action: 'password.changed', address: null }, '/profile'],
] as const)
  test(`a mail about ${type} with ${Object.keys(data).join(', ')} leads to ${screen}, which the client has`, (t) => {
    t.is(linkOf(type, data), `${PUBLIC_URL}${screen}`);
    t.not(screenAt(screen), undefined);
  });

test('an id cannot lead elsewhere', (t) => {
  t.is(linkOf('ocr_failed', { document_id: '../users?x=1#y' }), `${PUBLIC_URL}/documents/..%2Fusers%3Fx%3D1%23y`);
});
