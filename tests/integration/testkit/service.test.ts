// A test whose service does not start has to say why: what the service wrote is all that a report of CI has of it.
import { makeServiceFolder, RunningService } from '@sheaf/testkit';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';

test('a start that fails reports the log that the service wrote', async (t) => {
  await using folder = await makeServiceFolder();
  await using service = new RunningService({ folder: folder.path, env: { OCR_DPI: 'many' } });
  await t.throwsAsync(service.ready(), { message: /^the service ended with 78:\n[^]*OCR_DPI/ });
});

test('so does one of a service that was killed, instead of waiting for it', async (t) => {
  await using folder = await makeServiceFolder();
  await using service = new RunningService({ folder: folder.path });
  const ready = service.ready();
  await waitFor(() => service.output !== '', { description: 'the first words', limitMs: 60_000 });
  service.process.kill('SIGKILL');
  const { message } = await t.throwsAsync<Error>(ready);
  t.is(message, `the service ended with SIGKILL:\n${service.output}`);
});
