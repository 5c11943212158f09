import { renderStatusText } from '@sheaf/api/testing';
import test from 'ava';

test('the columns of the status have blanks between them, however long a name is', (t) => {
  const parts = [
    { name: 'parser sandbox', status: 'healthy' as const, text: 'files (bubblewrap)' },
    { name: 'ocr-worker.1234567', status: 'warning' as const, text: 'up 3 s' },
    { name: 'database', status: 'healthy' as const, text: 'healthy' },
  ];
  const text = renderStatusText({ status: 'healthy', now: new Date(0), parts, numbers: [], hosts: [], processes: [], remedies: [] });
  t.deepEqual(text.trimEnd().split('\n'), [
    'Sheaf: healthy',
    '',
    'parser sandbox      healthy, files (bubblewrap)',
    'ocr-worker.1234567  warning, up 3 s',
    'database            healthy',
  ]);
});
