import { ConfigError } from '@sheaf/config';
import test from 'ava';
import { openConfiguration } from '../../support/configuration.ts';

const { load } = openConfiguration();

const REFUSED: readonly (readonly [variable: string, message: RegExp, environment: Record<string, string>])[] = [
  ['ADMIN_PASSWORD', /at least 8 characters/, { ADMIN_PASSWORD: 'abc' }],
  ['ADMIN_PASSWORD', /a digit/, { ADMIN_PASSWORD: 'without any', PASSWORD_REQUIRE_NUMBERS: 'true' }],
  ['ADMIN_PASSWORD', /special character/, { ADMIN_PASSWORD: 'lettersonly1', PASSWORD_REQUIRE_SPECIAL: 'true' }],
  ['SERVER_ADDRESS', /host:port/, { SERVER_ADDRESS: '127.0.0.1:99999' }],
  ['PROBE_PORT_BASE', /64000/, { PROBE_PORT_BASE: '65530' }],
  ['DATABASE_SSL_MODE', /embedded database/, { DATABASE_SSL_MODE: 'require' }],
];

for (const [variable, message, environment] of REFUSED)
  test(`${JSON.stringify(environment)} is refused at start`, (t) => {
    const { issues } = t.throws(() => load(environment), { instanceOf: ConfigError });
    t.deepEqual(
      issues.map((issue) => issue.variable),
      [variable],
    );
    t.regex(issues[0]?.message ?? '', message);
  });

test('require is what it says for a database that is named', (t) => {
  t.is(load({ DATABASE_SSL_MODE: 'require', POSTGRES_HOST: 'db.example.org' }).database.tls.mode, 'require');
});
