// `bin/sheaf openapi`: prints the text of the interface as this configuration serves it.
import { EXIT } from '@sheaf/vocabulary/exit-codes';

const USAGE = `usage: sheaf openapi

  Prints the OpenAPI 3.1 document of the API as JSON, the same as GET /api/openapi.json.
`;

/** Who reads may stop before the end, as head does. */
const endQuietly = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EPIPE') throw error;
};

/** Loads what it prints only now: help and usage errors need none of it. */
const print = async (): Promise<void> => {
  const [{ ConfigError, loadForCommand }, { makeOpenApiDocument }, { describeRoutes }] = await Promise.all([
    import('@sheaf/config'),
    import('./openapi/document.ts'),
    import('./routes.ts'),
  ]);
  process.stdout.on('error', endQuietly);
  try {
    process.stdout.write(`${JSON.stringify(makeOpenApiDocument(describeRoutes(loadForCommand().config)), null, 2)}\n`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`sheaf openapi: ${error.message}\n`);
    process.exitCode = EXIT.configuration;
  }
};

const [flag, ...rest] = process.argv.slice(2);
if (flag === undefined) await print();
else if ((flag === '--help' || flag === '-h') && rest.length === 0) process.stdout.write(USAGE);
else {
  process.stderr.write(USAGE);
  process.exitCode = EXIT.usage;
}
