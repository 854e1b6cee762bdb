-- Amounts of money are stored as they were entered, with all their decimals, and sums have no limit. No table is rewritten.
alter table companies alter column llm_daily_budget type numeric;
alter table llm_prices alter column input_per_million type numeric, alter column output_per_million type numeric;
alter table studio_runs alter column budget type numeric, alter column spent type numeric;
-- functions/count_run.sql creates it again.
drop trigger if exists count_run on llm_runs;
alter table llm_runs alter column cost type numeric;
alter table llm_spending alter column cost type numeric;
alter table outcomes alter column cost type numeric;
