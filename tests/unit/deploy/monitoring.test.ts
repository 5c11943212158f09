import { LABEL_NAMES } from '@sheaf/process/testing';
import test from 'ava';
import { labelsOf, metricsOf, readDashboard, readRules, readScrape, watchedQueries } from '../../support/watched-metrics.ts';

// That each metric exists is asked of a running service: tests/e2e/exporter.full.test.ts.

test('the panels of the dashboard have ids of their own, and none lies over another', (t) => {
  const { panels } = readDashboard();
  t.is(new Set(panels.map(({ id }) => id)).size, panels.length);
  t.is(new Set(panels.map(({ title }) => title)).size, panels.length);
  for (const { title, type, targets } of panels) {
    t.is(targets.length === 0, type === 'row', title);
    t.is(new Set(targets.map(({ refId }) => refId)).size, targets.length, title);
  }
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
    t.true(x + w <= 24);
    return Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`);
  });
  t.is(new Set(cells).size, cells.length);
});

test('queries ask by labels that exist, and their brackets close', (t) => {
  const known = new Set<string>([...LABEL_NAMES, 'process', 'instance', 'le', 'job']);
  for (const query of watchedQueries()) {
    t.true(metricsOf(query).length > 0 || query.startsWith('up{'), query);
    for (const label of labelsOf(query)) t.true(known.has(label), `${label} in ${query}`);
    for (const [open, close] of [
      ['(', ')'],
      ['{', '}'],
      ['[', ']'],
    ] as const)
      t.is(query.split(open).length, query.split(close).length, query);
  }
  for (const { targets, title } of readDashboard().panels)
    for (const { legendFormat, expr } of targets)
      for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        t.true(labelsOf(expr).includes(label) || (!/\bby \(/.test(expr) && known.has(label)), `${label} of ${title}`);
});

test('each alert rule has a name of its own, and the example of a scrape names the rules and the default port', (t) => {
  const alerts = readRules().groups.flatMap((group) => group.rules.map(({ alert }) => alert));
  t.is(new Set(alerts).size, alerts.length);
  const { rule_files, scrape_configs } = readScrape();
  t.deepEqual(rule_files, ['sheaf.rules.yml']);
  t.like(scrape_configs[0], { honor_labels: true, metrics_path: '/metrics', static_configs: [{ targets: ['127.0.0.1:9090'] }] });
});
