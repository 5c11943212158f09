import { agentName } from '@sheaf/web/testing';
import test from 'ava';

test('a browser is called by its name and its system', (t) => {
  for (const [agent, name] of [
    ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36', 'Chrome · Linux'],
    ['Mozilla/5.0 (Windows NT 10.0; Win64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36 Edg/130.0', 'Edge · Windows'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1 Version/17.0 Safari/604.1', 'Safari · iPhone'],
    ['Mozilla/5.0 (Android 14; Mobile; rv:130.0) Gecko/130.0 Firefox/130.0', 'Firefox · Android'],
    ['curl/8.9', 'curl/8.9'],
  ] as const)
    t.is(agentName(agent), name);
  t.is(agentName('x'.repeat(500)).length, 60);
});
