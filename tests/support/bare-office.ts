import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findOffice, OFFICE_ARGS, writeOfficeProfile } from '@sheaf/extraction/testing/office';
import { ExchangeFolder } from '@sheaf/sandbox';

const run = promisify(execFile);

/**
 * Converts `inputs` with LibreOffice as it is: no sandbox, no limits, the network open. What a document can reach this way is
 * what the other layers have to prevent. PDFs are left in `outFolder`; returns false where LibreOffice is not installed.
 */
export const convertBare = async (inputs: readonly string[], outFolder: string): Promise<boolean> => {
  const office = await findOffice();
  if (office === undefined) return false;
  await mkdir(outFolder, { recursive: true });
  const profile = await writeOfficeProfile(await ExchangeFolder.open(join(outFolder, 'home')));
  const args = [...OFFICE_ARGS, profile, '--convert-to', 'pdf', '--outdir', outFolder, ...inputs];
  // The first start with a new profile ends at once.
  await run(office.main, ['--headless', '--terminate_after_init', profile]).catch(() => {});
  await run(office.main, args, { maxBuffer: 64 * 1024 * 1024 });
  return true;
};
