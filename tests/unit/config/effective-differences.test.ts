import { effectiveDifferences } from '@sheaf/config';
import type { RawValues } from '@sheaf/config/testing';
import test from 'ava';

const raw = {
  UPLOAD_PATH: { text: '/new', origin: 'environment' },
  LOG_LEVEL: { text: 'warn', origin: 'environment' },
  S3_BUCKET_NAME: { text: 'bucket', origin: 'environment' },
  JWT_SECRET: { text: 'jwt-now', origin: 'environment' },
  APP_SECRET_KEY: { text: 'key-now', origin: 'environment' },
  SERVER_PORT: { text: '8080', origin: 'default' },
} satisfies RawValues;

const kept = (values: object): Uint8Array => Buffer.from(JSON.stringify(values));
const plain = (value: string) => ({ value, origin: 'environment', isSecret: false });
const secret = (value: string) => ({ value, origin: 'environment', isSecret: true });

test('what is configured otherwise than in the backup is told by name, values of secrets never', (t) => {
  const then = kept({
    UPLOAD_PATH: plain('/old'),
    LOG_LEVEL: plain('warn'),
    WATCH_FOLDER: plain('/watch'),
    JWT_SECRET: secret('jwt-then'),
    APP_SECRET_KEY: secret('key-now'),
    SMTP_PASSWORD: secret('mail-then'),
  });
  t.deepEqual(effectiveDifferences(then, raw), [
    'JWT_SECRET changed',
    'S3_BUCKET_NAME changed from unset to "bucket"',
    'SMTP_PASSWORD changed from set to unset',
    'UPLOAD_PATH changed from "/old" to "/new"',
    'WATCH_FOLDER changed from "/watch" to unset',
  ]);
});

test('a secret that the backup masks is no difference where there is one, and is told where there is none', (t) => {
  const then = kept({ JWT_SECRET: secret('***'), APP_SECRET_KEY: secret('***'), SMTP_PASSWORD: secret('***') });
  t.deepEqual(effectiveDifferences(then, { JWT_SECRET: raw.JWT_SECRET, APP_SECRET_KEY: raw.APP_SECRET_KEY }), [
    'SMTP_PASSWORD changed from set to unset',
  ]);
});

test('a backup without effective values has no differences to tell', (t) => {
  t.deepEqual(effectiveDifferences(undefined, raw), []);
});
