import { join } from 'node:path';
import type { ExchangeFolder } from '@sheaf/sandbox';

interface Setting {
  readonly path: string;
  readonly name: string;
  readonly value: string | number | boolean;
}

const SECURITY = '/org.openoffice.Office.Common/Security/Scripting';
const NEVER_IN_WRITER = 0;
const NEVER_IN_CALC = 2;
/** Only macros from trusted places, of which there are none. */
const VERY_HIGH = 3;

/**
 * What LibreOffice may not do with a stranger's document: run macros, follow links, fetch pictures, keep copies, and make pictures
 * coarser.
 */
const SETTINGS: readonly Setting[] = [
  { path: SECURITY, name: 'MacroSecurityLevel', value: VERY_HIGH },
  { path: SECURITY, name: 'DisableMacrosExecution', value: true },
  { path: SECURITY, name: 'DisablePythonRuntime', value: true },
  { path: SECURITY, name: 'BlockUntrustedRefererLinks', value: true },
  { path: '/org.openoffice.Office.Writer/Content/Update', name: 'Link', value: NEVER_IN_WRITER },
  { path: '/org.openoffice.Office.Calc/Content/Update', name: 'Link', value: NEVER_IN_CALC },
  { path: '/org.openoffice.Office.Java/VirtualMachine', name: 'Enable', value: false },
  { path: '/org.openoffice.Office.Common/History', name: 'PickListSize', value: 0 },
  // pictures are recognised in the rendition
  { path: '/org.openoffice.Office.Common/Filter/PDF/Export', name: 'ReduceImageResolution', value: false },
  { path: '/org.openoffice.Office.Recovery/AutoSave', name: 'Enabled', value: false },
];

const toItem = ({ path, name, value }: Setting): string =>
  `<item oor:path="${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`;

/** Makes a profile for LibreOffice in `exchange`, and returns the argument that makes it use it. */
export const writeOfficeProfile = async (exchange: ExchangeFolder): Promise<string> => {
  await exchange.prepare(
    'profile/user/registrymodifications.xcu',
    `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
${SETTINGS.map(toItem).join('\n')}
</oor:items>
`,
  );
  // LibreOffice takes `$` in an address for a variable of its own, so nothing is left as it is.
  const address = join(exchange.path, 'profile').split('/').map(encodeURIComponent).join('/');
  return `-env:UserInstallation=file://${address}`;
};
