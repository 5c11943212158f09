import { Button, ScrollArea, Table, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { SectionCard } from '../../components/section-card.tsx';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { Bars, type Series } from './bars.tsx';

interface Props {
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
export const DayChart = ({ title, series, days, heading, nameOf }: Props): ReactNode => {
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
