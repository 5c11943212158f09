import { CRASHED_PROCESSES, MEMORY_LIMIT, makeSupervisorReports, type SupervisorWord } from '@sheaf/process';
import test from 'ava';

/** As the channel to the supervisor does. */
const arrive = (message: unknown): void => void process.emit('message', message, undefined);

for (const [type, name] of [
  ['memory', MEMORY_LIMIT],
  ['crashes', CRASHED_PROCESSES],
] as const) {
  test.serial(
    `what the supervisor reports of ${type} is the health of ${name}, and nothing else that comes over the channel`,
    async (t) => {
      const reports = makeSupervisorReports();
      const [report, other] = [reports.find((one) => one.name === name), reports.find((one) => one.name !== name)];
      for (const one of reports) await one.start();
      t.deepEqual(report?.health?.(), { status: 'healthy' });
      const word: SupervisorWord = { type, health: { status: 'warning', message: 'too much' } };
      arrive(word);
      t.deepEqual(report?.health?.(), word.health);
      t.deepEqual(other?.health?.(), { status: 'healthy' });
      arrive({ type, health: { status: 'splendid' } });
      arrive(type);
      t.deepEqual(report?.health?.(), word.health);
      arrive({ type, health: { status: 'healthy' } });
      t.deepEqual(report?.health?.(), { status: 'healthy' });
      for (const one of reports) await one.stop();
      arrive(word);
      t.deepEqual(report?.health?.(), { status: 'healthy' });
    },
  );
}
