import { Group, NativeSelect, Pagination, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { PAGE_SIZES } from '../platform/crud.ts';
import { formatNumber } from './format.ts';
import { t } from './i18n.ts';
import { lastPage } from './listState.ts';
import classes from './Pager.module.css';
import { NARROW_SCREEN } from './theme.ts';

interface PagerProps {
  /** Text beside the page size: a row count or the loading state. */
  caption: string;
  total: number;
  /** Zero-based. */
  page: number;
  size: number;
  onPage: (page: number) => void;
  onSize: (size: number) => void;
}

/** The footer of a list: page size, row count and pages. */
export function Pager({ caption, total, page, size, onPage, onSize }: PagerProps) {
  const narrow = useMediaQuery(NARROW_SCREEN, false, { getInitialValueInEffect: false });
  return (
    <footer className={classes.pager}>
      {/* The fixed-width control comes first. The caption grows into the empty middle when the rows arrive. */}
      <NativeSelect
        size="xs"
        aria-label={t('Rows per page')}
        value={String(size)}
        onChange={(event) => onSize(Number(event.currentTarget.value))}
        data={PAGE_SIZES.map((option) => ({
          value: String(option),
          label: t('{{count}} rows', { count: option }),
        }))}
      />
      <Text size="xs" c="dimmed" role="status" mr="auto">
        {caption}
      </Text>
      {total > 0 && (
        <Pagination.Root
          size="sm"
          value={page + 1}
          total={lastPage(total, size) + 1}
          onChange={(pageNumber) => onPage(pageNumber - 1)}
          siblings={1}
          getItemProps={(pageNumber) => ({ 'aria-label': t('Page {{page}}', { page: pageNumber }) })}
        >
          <Group gap="xs" wrap="nowrap">
            <Pagination.Previous aria-label={t('Previous page')} />
            {!narrow && <Pagination.Items />}
            <Pagination.Next aria-label={t('Next page')} />
          </Group>
        </Pagination.Root>
      )}
    </footer>
  );
}

/** Build the caption of a page of rows: `26–50 of 312 leads`, `26 of 26 leads`, `1 of 1`. */
export function rowsCaption({
  total,
  page,
  size,
  plural,
}: {
  total: number;
  page: number;
  size: number;
  plural: string;
}): string {
  if (total === 0) return t('No {{entity}}', { entity: plural });
  const from = formatNumber(Math.min(page * size + 1, total));
  const to = formatNumber(Math.min((page + 1) * size, total));
  // The name of the rows is a plural.
  if (total === 1) return t('1 of 1');
  const values = { from, to, total: formatNumber(total), entity: plural };
  return from === to
    ? t('{{to}} of {{total}} {{entity}}', values)
    : t('{{from}}–{{to}} of {{total}} {{entity}}', values);
}
