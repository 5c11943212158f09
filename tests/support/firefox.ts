import { existsSync } from 'node:fs';
import { type Browser, launch } from 'puppeteer-core';

const FIREFOX = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((path) => existsSync(path));

/** Whether there is a Firefox to test with. */
export const hasFirefox = FIREFOX !== undefined;

/** Firefox as Debian has it, by WebDriver BiDi. It reaches this machine only: all else would go to a proxy that is not there. */
export const launchFirefox = (): Promise<Browser> =>
  launch({
    browser: 'firefox',
    executablePath: FIREFOX ?? '',
    headless: true,
    protocolTimeout: 120_000,
    extraPrefsFirefox: {
      'network.proxy.type': 1,
      'network.proxy.http': '127.0.0.1',
      'network.proxy.http_port': 1,
      'network.proxy.ssl': '127.0.0.1',
      'network.proxy.ssl_port': 1,
      'network.proxy.allow_hijacking_localhost': false,
      'network.proxy.no_proxies_on': '127.0.0.1',
    },
  });
