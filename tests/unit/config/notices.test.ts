import { checkConfig, parseFlags } from '@sheaf/config';
import test from 'ava';

const noticesOf = (environment: Record<string, string>, argv: readonly string[] = []): readonly string[] => {
  const flags = parseFlags(argv);
  return checkConfig({ environment, flags: flags.ok ? flags.values : {} }).notices;
};

test('a name of the environment that is very like one of ours is told with that one', (t) => {
  t.deepEqual(noticesOf({ OCR_LANGUAGES: 'x', S3_BUCKETNAME: 'x', JWT_SERCET: 'x', DATABASE_POOLSIZE: '3' }), [
    'unknown environment variable OCR_LANGUAGES; did you mean OCR_LANGUAGE?',
    'unknown environment variable S3_BUCKETNAME; did you mean S3_BUCKET_NAME?',
    'unknown environment variable JWT_SERCET; did you mean JWT_SECRET?',
    'unknown environment variable DATABASE_POOLSIZE; did you mean DATABASE_POOL_SIZE?',
  ]);
});

test('a mistake in the first word of a name is told as well', (t) => {
  t.deepEqual(
    noticesOf({ DATABSE_URL: 'x', POSTGRESS_HOST: 'x', POSTGRESQL_HOST: 'x', SEVER_PORT: 'x', JTW_SECRET: 'x', STMP_HOST: 'x' }),
    [
      'unknown environment variable DATABSE_URL; did you mean DATABASE_URL?',
      'unknown environment variable POSTGRESS_HOST; did you mean POSTGRES_HOST?',
      'unknown environment variable POSTGRESQL_HOST; did you mean POSTGRES_HOST?',
      'unknown environment variable SEVER_PORT; did you mean SERVER_PORT?',
      'unknown environment variable JTW_SECRET; did you mean JWT_SECRET?',
      'unknown environment variable STMP_HOST; did you mean SMTP_HOST?',
    ],
  );
});

/** Of shells, package managers, CI services and other programs, as they stand beside ours. */
const OF_OTHERS = `
  PATH HOME LC_ALL LC_CTYPE XDG_DATA_HOME DEBIAN_FRONTEND SSH_AUTH_SOCK DBUS_SESSION_BUS_ADDRESS
  NODE_ENV NODE_PATH NODE_OPTIONS NPM_TOKEN PNPM_HOME GITHUB_SERVER_URL RUNNER_TEMP CI_SERVER_HOST
  DATABASE_DIALECT DATABASE_SCHEMA DB_HOST MYSQL_HOST PGHOST REDIS_URL MONGO_URL PROXY_URL HTTP_PORT
  HTTP_HOST APP_PORT APP_SECRET SERVICE_PORT SERVICE_HOST GPU_CORES YAML_ENABLED PATCH_SIZE GLOG_LEVEL
  JAVA_HOME AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID AZURE_CLIENT_SECRET KUBERNETES_SERVICE_HOST HTTPS_PROXY
`;

test('no variable of other programs is taken for one of ours', (t) => {
  t.deepEqual(
    noticesOf(
      Object.fromEntries(
        OF_OTHERS.trim()
          .split(/\s+/)
          .map((name) => [name, 'x']),
      ),
    ),
    [],
  );
});

test('names of others stay as they are', (t) => {
  t.deepEqual(
    noticesOf({ LOG_FILE: 'x', POSTGRES_X: 'x', SERVER_NAME: 'x', PATH: 'x', HOME: 'x', MFA_: 'x', log_levels: 'x', AWS_REGION: 'x' }),
    [],
  );
});

test('old names are told once each, and which of two counts', (t) => {
  t.deepEqual(noticesOf({ STORAGE_PATH: 'a', OCR_WORKERS: '1', CONCURRENT_OCR_JOBS: '2', JWT_SECRET_KEY: '' }), [
    'STORAGE_PATH is the former name of UPLOAD_PATH; use the new name',
    'OCR_WORKERS is the former name of CONCURRENT_OCR_JOBS; CONCURRENT_OCR_JOBS is also set and takes precedence',
  ]);
  t.deepEqual(noticesOf({ S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 's' }, ['--s3-bucket', 'b']), [
    '--s3-bucket is an alias of S3_BUCKET_NAME; use the new name',
  ]);
});

test('a secret on the command line is told, without its value', (t) => {
  const notices = noticesOf({ SMTP_PASSWORD: 'hidden' }, ['--jwt-secret', 'k'.repeat(40), '--jwt-secret-key=abc', '--server-port', '1']);
  t.deepEqual(
    notices.filter((notice) => notice.includes('every user')).map((notice) => notice.split(' ')[0]),
    ['--jwt-secret', '--jwt-secret-key'],
  );
  t.false(notices.join().includes('kkk'));
});
