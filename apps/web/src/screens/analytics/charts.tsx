import { Box, Button, Group, ScrollArea, Table, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { SectionCard } from '../../components/screen-parts.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { useFormat, useTranslate } from '../../language/language.tsx';

export interface Series {
  readonly name: string;
  /** A colour of CSS. */
  readonly color: string;
}

export interface Bar {
  readonly label: string;
  /** By the name of each series, stacked in their order. */
  readonly values: Readonly<Record<string, number>>;
}

const HEIGHT = 180;
const STEPS = [1, 2, 5];

/** A round number not below `value`, at which the axis ends. */
export const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return (STEPS.find((step) => step * power >= value) ?? 10) * power;
};

interface BarsProps {
  readonly bars: readonly Bar[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}

/** Bars of stacked series, drawn as SVG; each says its numbers when pointed at. */
export const Bars = ({ bars, series, format }: BarsProps): ReactNode => {
  const totals = bars.map(({ values }) => series.reduce((sum, { name }) => sum + (values[name] ?? 0), 0));
  const top = roundUp(Math.max(...totals));
  const slot = 100 / bars.length;
  const describe = ({ label, values }: Bar): string =>
    [label, ...series.map(({ name }) => `${name}: ${format(values[name] ?? 0)}`)].join('\n');
  return (
    <Box>
      <Group gap="xs" align="stretch" wrap="nowrap">
        <Box style={{ display: 'flex', flexDirection: 'column', justifyContent: 'space-between', flex: 'none' }}>
          {[top, top / 2, 0].map((value) => (
            <Text key={value} size="xs" c="dimmed" ta="right" lh={1}>
              {format(value)}
            </Text>
          ))}
        </Box>
        <svg
          width="100%"
          height={HEIGHT}
          viewBox={`0 0 100 ${HEIGHT}`}
          preserveAspectRatio="none"
          style={{ borderBottom: '1px solid var(--mantine-color-default-border)', flex: 1 }}
        >
          {[0, HEIGHT / 2].map((y) => (
            <line key={y} x1="0" x2="100" y1={y} y2={y} stroke="var(--mantine-color-default-border)" vectorEffect="non-scaling-stroke" />
          ))}
          {bars.map((bar, index) => {
            let below = 0;
            return (
              <g key={bar.label}>
                <title>{describe(bar)}</title>
                <rect x={index * slot} width={slot} y={0} height={HEIGHT} fill="transparent" />
                {series.map(({ name, color }) => {
                  const height = ((bar.values[name] ?? 0) / top) * HEIGHT;
                  below += height;
                  return (
                    <rect key={name} x={index * slot + slot * 0.15} width={slot * 0.7} y={HEIGHT - below} height={height} fill={color} />
                  );
                })}
              </g>
            );
          })}
        </svg>
      </Group>
      <Group justify="space-between" mt={4} ps={40}>
        <SmallNote>{bars[0]?.label}</SmallNote>
        <SmallNote>{bars.at(-1)?.label}</SmallNote>
      </Group>
      {series.length > 1 && (
        <Group gap="md" mt="xs">
          {series.map(({ name, color }) => (
            <Group key={name} gap={6}>
              <span style={{ width: 10, height: 10, borderRadius: 2, background: color }} />
              <Text size="xs">{name}</Text>
            </Group>
          ))}
        </Group>
      )}
    </Box>
  );
};

interface DayChartProps {
  readonly title: string;
  readonly series: readonly Series[];
  /** Each with a `date` and a number by the name of each series. */
  readonly days: readonly Readonly<Record<string, string | number>>[];
  /** Of the dates; that of days unless said. */
  readonly heading?: string;
  /** How a date is written; as a day unless said. */
  readonly nameOf?: (date: string) => string;
}

/** Numbers by day, or by another time, as a chart or, for who would rather read them, as a table. */
export const DayChart = ({ title, series, days, heading, nameOf }: DayChartProps): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const nameOfDate = nameOf ?? format.date;
  const [isTable, setTable] = useState(false);
  const isEmpty = days.every((day) => series.every(({ name }) => day[name] === 0));
  return (
    <SectionCard
      title={title}
      action={
        <Button size="compact-xs" variant="subtle" onClick={() => setTable(!isTable)}>
          {isTable ? t('analytics.asChart') : t('analytics.asTable')}
        </Button>
      }
    >
      {isEmpty && (
        <Text size="sm" c="dimmed">
          {t('analytics.none')}
        </Text>
      )}
      {!isEmpty && !isTable && (
        <div aria-hidden>
          <Bars
            series={series}
            format={format.number}
            bars={days.map((day) => ({
              label: nameOfDate(String(day['date'])),
              values: Object.fromEntries(series.map(({ name }) => [name, Number(day[name])])),
            }))}
          />
        </div>
      )}
      {!isEmpty && isTable && (
        <ScrollArea.Autosize mah={260} type="auto" viewportProps={{ tabIndex: 0 }}>
          <Table striped>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">{heading ?? t('analytics.day')}</Table.Th>
                {series.map(({ name }) => (
                  <Table.Th key={name} scope="col" ta="right">
                    {name}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {days.map((day) => (
                <Table.Tr key={String(day['date'])}>
                  <Table.Td>{nameOfDate(String(day['date']))}</Table.Td>
                  {series.map(({ name }) => (
                    <Table.Td key={name} ta="right">
                      {format.number(Number(day[name]))}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollArea.Autosize>
      )}
    </SectionCard>
  );
};
