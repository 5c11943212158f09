import { Box, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { SmallNote } from '../../components/small-note.tsx';

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

interface Props {
  readonly bars: readonly Bar[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}

/** Bars of stacked series, drawn as SVG; each says its numbers when pointed at. */
export const Bars = ({ bars, series, format }: Props): ReactNode => {
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
