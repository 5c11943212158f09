// The rows of the specification's health monitoring variables: default, where another value arrives, and what it changes.
import { ConfigError } from '@sheaf/config';
import { constant, makeRegistry, silentLogger, systemClock } from '@sheaf/process';
import { givenUser, openTestDatabase } from '@sheaf/testkit';
import { HealthMonitor, machineMeters, makeAlertCounter } from '@sheaf/watcher/testing';
import test from 'ava';
import { openConfiguration, type VariableRow } from '../support/configuration.ts';

const { folder, load } = openConfiguration();

const SMTP = {
  EMAIL_ENABLED: 'true',
  SMTP_HOST: 'mail.example.org',
  SMTP_USERNAME: 'sheaf',
  SMTP_PASSWORD: 'secret',
  SMTP_FROM_ADDRESS: 'sheaf@example.org',
};

const ROWS: readonly VariableRow[] = [
  { name: 'HEALTH_CHECK_INTERVAL', read: ({ monitoring }) => monitoring.intervalMs, byDefault: 300_000, given: ['5', 5_000] },
  { name: 'CPU_WARNING_THRESHOLD', read: ({ monitoring }) => monitoring.cpuShare, byDefault: 0.8, given: ['50', 0.5] },
  { name: 'MEMORY_WARNING_THRESHOLD', read: ({ monitoring }) => monitoring.memoryShare, byDefault: 0.85, given: ['50', 0.5] },
  { name: 'DISK_WARNING_THRESHOLD', read: ({ monitoring }) => monitoring.diskShare, byDefault: 0.9, given: ['50', 0.5] },
  {
    name: 'HEALTH_EMAIL_ALERTS',
    read: ({ notifications }) => notifications.policy.emailTypes.has('alert'),
    byDefault: false,
    given: ['true', true],
    beside: SMTP,
  },
];

for (const { name, read, byDefault, given, beside = {} } of ROWS)
  test(`Limits, health monitoring: ${name}`, (t) => {
    t.deepEqual(read(load(beside)), byDefault);
    t.deepEqual(read(load({ ...beside, [name]: given[0] })), given[1]);
  });

for (const name of ['CPU_WARNING_THRESHOLD', 'MEMORY_WARNING_THRESHOLD', 'DISK_WARNING_THRESHOLD'])
  test(`Limits, health monitoring: ${name} is a percentage`, (t) => {
    for (const text of ['-1', '101', 'much'])
      t.regex(t.throws(() => load({ [name]: text }), { instanceOf: ConfigError }).message, new RegExp(name));
  });

test('Limits, health monitoring: HEALTH_EMAIL_ALERTS needs mail', (t) => {
  t.regex(
    t.throws(() => load({ HEALTH_EMAIL_ALERTS: 'true' }), { instanceOf: ConfigError }).message,
    /HEALTH_EMAIL_ALERTS requires EMAIL_ENABLED/,
  );
});

test('Limits, health monitoring: thresholds decide what of this machine is reported', async (t) => {
  await using database = await openTestDatabase();
  const { db, pool } = database;
  await givenUser(db, { role: 'admin' });
  const raisedWith = async (percent: string): Promise<string[]> => {
    const { notifications, monitoring } = load(
      Object.fromEntries(['CPU', 'MEMORY', 'DISK'].map((name) => [`${name}_WARNING_THRESHOLD`, percent])),
    );
    const monitor = new HealthMonitor({
      db,
      audience: constant(notifications),
      settings: { monitoring: constant(monitoring), folders: [folder] },
      meters: { ...machineMeters(), cpu: () => 0.5 }, // an idle machine has none at all
      counter: makeAlertCounter(makeRegistry('watcher')),
      clock: systemClock,
      log: silentLogger(),
    });
    await monitor.look();
    await monitor.look();
    return (await pool.query<{ kind: string }>(`select split_part(component, ':', 1) as kind from alerts order by 1`)).rows.map(
      ({ kind }) => kind,
    );
  };
  t.deepEqual(await raisedWith('100'), []);
  t.deepEqual(await raisedWith('0'), ['cpu', 'disk', 'memory']);
});
