import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The first is the same browser without windows, which takes two thirds of the CPU time. */
const CHROMIUM = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));
/** Without these it would look for its maker's hosts, many at a time. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Why there is no browser to test with, or undefined when there is one. */
export const whyNoBrowser = (): string | undefined => (CHROMIUM === undefined ? 'chromium is not installed' : undefined);

export const launchChromium = (): Promise<Browser> => chromium.launch({ executablePath: CHROMIUM ?? '', headless: true, args: FLAGS });
