set local lock_timeout = '5s';

-- Usage by the hour of each value of one dimension, whatever the others are, and under the dimension '' of everything together. A page
-- that splits by one dimension sums these, which are as many as there are values and not as there are combinations. For the dimensions by
-- which forecasts are split; by keys, users and providers, the rows of usage_hours are summed.
-- Triggers keep them, so that processes of the release before keep them too.
create table usage_hour_values (
  org_id uuid not null,
  dimension text not null,
  bucket timestamptz not null,
  value text not null,
  runs bigint not null,
  failed_runs bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_input_tokens bigint not null,
  cache_creation_input_tokens bigint not null,
  reasoning_output_tokens bigint not null,
  cost_nano numeric(28, 0) not null,
  estimated_nano numeric(28, 0) not null,
  overrun_nano numeric(28, 0) not null,
  value_nano numeric(28, 0) not null,
  duration_ms bigint not null,
  timed_runs bigint not null,
  primary key (org_id, dimension, bucket, value)
);
call protect_tenant_table('usage_hour_values');
grant select, insert, update, delete on usage_hour_values to weir_app;

create function keep_usage_hour_values() returns trigger
  language plpgsql set search_path = public as $$
declare
  changes text := case tg_op
    when 'INSERT' then 'select 1 as sign, * from added'
    when 'UPDATE' then 'select 1 as sign, * from added union all select -1, * from removed'
    else 'select -1 as sign, * from removed' end;
begin
  execute format($statement$
    insert into usage_hour_values as u (org_id, dimension, bucket, value,
      runs, failed_runs, input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens,
      reasoning_output_tokens, cost_nano, estimated_nano, overrun_nano, value_nano, duration_ms, timed_runs)
    select org_id, v.dimension, date_trunc('hour', bucket, 'UTC'), v.value,
      least(sum(sign * runs), 9223372036854775807), least(sum(sign * failed_runs), 9223372036854775807),
      least(sum(sign * input_tokens), 9223372036854775807),
      least(sum(sign * output_tokens), 9223372036854775807),
      least(sum(sign * cache_read_input_tokens), 9223372036854775807),
      least(sum(sign * cache_creation_input_tokens), 9223372036854775807),
      least(sum(sign * reasoning_output_tokens), 9223372036854775807), sum(sign * cost_nano),
      sum(sign * estimated_nano), sum(sign * overrun_nano), sum(sign * value_nano),
      least(sum(sign * duration_ms), 9223372036854775807), least(sum(sign * timed_runs), 9223372036854775807)
      from (%s) as changes cross join lateral (values ('', ''), ('model', model), ('workflow_id', workflow_id),
        ('deployment_id', deployment_id), ('department_id', department_id)) as v (dimension, value)
     group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (org_id, dimension, bucket, value) do update set
      runs = least(u.runs::numeric + excluded.runs, 9223372036854775807),
      failed_runs = least(u.failed_runs::numeric + excluded.failed_runs, 9223372036854775807),
      input_tokens = least(u.input_tokens::numeric + excluded.input_tokens, 9223372036854775807),
      output_tokens = least(u.output_tokens::numeric + excluded.output_tokens, 9223372036854775807),
      cache_read_input_tokens = least(u.cache_read_input_tokens::numeric + excluded.cache_read_input_tokens, 9223372036854775807),
      cache_creation_input_tokens = least(u.cache_creation_input_tokens::numeric + excluded.cache_creation_input_tokens, 9223372036854775807),
      reasoning_output_tokens = least(u.reasoning_output_tokens::numeric + excluded.reasoning_output_tokens, 9223372036854775807),
      cost_nano = u.cost_nano::numeric + excluded.cost_nano, estimated_nano = u.estimated_nano::numeric + excluded.estimated_nano,
      overrun_nano = u.overrun_nano::numeric + excluded.overrun_nano, value_nano = u.value_nano::numeric + excluded.value_nano,
      duration_ms = least(u.duration_ms::numeric + excluded.duration_ms, 9223372036854775807),
      timed_runs = least(u.timed_runs::numeric + excluded.timed_runs, 9223372036854775807)
  $statement$, changes);
  if tg_op = 'DELETE' then
    delete from usage_hour_values u using (
      select distinct r.org_id, v.dimension, date_trunc('hour', r.bucket, 'UTC') as bucket, v.value
        from removed r cross join lateral (values ('', ''), ('model', r.model), ('workflow_id', r.workflow_id),
          ('deployment_id', r.deployment_id), ('department_id', r.department_id)) as v (dimension, value)) as gone
     where u.org_id = gone.org_id and u.dimension = gone.dimension and u.bucket = gone.bucket and u.value = gone.value
       and u.runs = 0 and u.failed_runs = 0 and u.input_tokens = 0 and u.output_tokens = 0 and u.cache_read_input_tokens = 0
       and u.cache_creation_input_tokens = 0 and u.reasoning_output_tokens = 0 and u.cost_nano = 0 and u.estimated_nano = 0
       and u.overrun_nano = 0 and u.value_nano = 0 and u.duration_ms = 0 and u.timed_runs = 0;
  end if;
  return null;
end
$$;
create trigger keep_hour_values_of_inserted after insert on usage_15m
  referencing new table as added for each statement execute function keep_usage_hour_values();
create trigger keep_hour_values_of_updated after update on usage_15m
  referencing old table as removed new table as added for each statement execute function keep_usage_hour_values();
create trigger keep_hour_values_of_deleted after delete on usage_15m
  referencing old table as removed for each statement execute function keep_usage_hour_values();

-- Forced row-level security binds the owner too, in whose name this runs. Folding waits meanwhile; readers do not.
lock table usage_15m in share row exclusive mode;
create policy filling on usage_hour_values for insert to current_user with check (true);
insert into usage_hour_values (org_id, dimension, bucket, value,
  runs, failed_runs, input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens,
  reasoning_output_tokens, cost_nano, estimated_nano, overrun_nano, value_nano, duration_ms, timed_runs)
select org_id, v.dimension, date_trunc('hour', bucket, 'UTC'), v.value,
  least(sum(runs), 9223372036854775807), least(sum(failed_runs), 9223372036854775807),
  least(sum(input_tokens), 9223372036854775807), least(sum(output_tokens), 9223372036854775807),
  least(sum(cache_read_input_tokens), 9223372036854775807), least(sum(cache_creation_input_tokens), 9223372036854775807),
  least(sum(reasoning_output_tokens), 9223372036854775807), sum(cost_nano), sum(estimated_nano), sum(overrun_nano),
  sum(value_nano), least(sum(duration_ms), 9223372036854775807), least(sum(timed_runs), 9223372036854775807)
  from usage_15m cross join lateral (values ('', ''), ('model', model), ('workflow_id', workflow_id),
    ('deployment_id', deployment_id), ('department_id', department_id)) as v (dimension, value)
 group by 1, 2, 3, 4;
drop policy filling on usage_hour_values;
