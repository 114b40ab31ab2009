set local lock_timeout = '5s';

-- Usage by the hour: the rows of usage_15m, four in one. Periods that begin on the hour are summed from these, a quarter as many.
-- Triggers keep them, so that processes of the release before keep them too.
create table usage_hours (like usage_15m including defaults including constraints including indexes);
call protect_tenant_table('usage_hours');
grant select, insert, update, delete on usage_hours to weir_app;

create function keep_usage_hours() returns trigger
  language plpgsql set search_path = public as $$
declare
  changes text := case tg_op
    when 'INSERT' then 'select 1 as sign, * from added'
    when 'UPDATE' then 'select 1 as sign, * from added union all select -1, * from removed'
    else 'select -1 as sign, * from removed' end;
begin
  execute format($statement$
    insert into usage_hours as u (org_id, bucket, model, provider, workflow_id, deployment_id, department_id, key_id, user_id,
      runs, failed_runs, input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens,
      reasoning_output_tokens, cost_nano, estimated_nano, overrun_nano, value_nano, duration_ms, timed_runs)
    select org_id, date_trunc('hour', bucket, 'UTC'), model, provider, workflow_id, deployment_id, department_id, key_id, user_id,
      least(sum(sign * runs::numeric), 9223372036854775807), least(sum(sign * failed_runs::numeric), 9223372036854775807),
      least(sum(sign * input_tokens::numeric), 9223372036854775807),
      least(sum(sign * output_tokens::numeric), 9223372036854775807),
      least(sum(sign * cache_read_input_tokens::numeric), 9223372036854775807),
      least(sum(sign * cache_creation_input_tokens::numeric), 9223372036854775807),
      least(sum(sign * reasoning_output_tokens::numeric), 9223372036854775807), sum(sign * cost_nano::numeric),
      sum(sign * estimated_nano::numeric), sum(sign * overrun_nano::numeric), sum(sign * value_nano::numeric),
      least(sum(sign * duration_ms::numeric), 9223372036854775807), least(sum(sign * timed_runs::numeric), 9223372036854775807)
      from (%s) as changes
     group by 1, 2, model, provider, workflow_id, deployment_id, department_id, key_id, user_id
     order by 1, 2, model, provider, workflow_id, deployment_id, department_id, key_id, user_id
    on conflict (org_id, bucket, model, provider, workflow_id, deployment_id, department_id, key_id, user_id) do update set
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
    delete from usage_hours u using removed r
     where u.org_id = r.org_id and u.bucket = date_trunc('hour', r.bucket, 'UTC') and
         u.model = r.model and u.provider = r.provider and u.workflow_id = r.workflow_id and u.deployment_id = r.deployment_id and
         u.department_id = r.department_id and u.key_id = r.key_id and u.user_id = r.user_id
       and not exists (
         select from usage_15m q where q.org_id = u.org_id and q.bucket >= u.bucket and q.bucket < u.bucket + interval '1 hour' and
           q.model = u.model and q.provider = u.provider and q.workflow_id = u.workflow_id and q.deployment_id = u.deployment_id and
           q.department_id = u.department_id and q.key_id = u.key_id and q.user_id = u.user_id);
  end if;
  return null;
end
$$;
create trigger keep_hours_of_inserted after insert on usage_15m
  referencing new table as added for each statement execute function keep_usage_hours();
create trigger keep_hours_of_updated after update on usage_15m
  referencing old table as removed new table as added for each statement execute function keep_usage_hours();
create trigger keep_hours_of_deleted after delete on usage_15m
  referencing old table as removed for each statement execute function keep_usage_hours();

-- Forced row-level security binds the owner too, in whose name this runs. Folding waits meanwhile; readers do not.
lock table usage_15m in share row exclusive mode;
create policy filling on usage_hours for insert to current_user with check (true);
insert into usage_hours (org_id, bucket, model, provider, workflow_id, deployment_id, department_id, key_id, user_id,
  runs, failed_runs, input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens,
  reasoning_output_tokens, cost_nano, estimated_nano, overrun_nano, value_nano, duration_ms, timed_runs)
select org_id, date_trunc('hour', bucket, 'UTC'), model, provider, workflow_id, deployment_id, department_id, key_id, user_id,
  least(sum(runs), 9223372036854775807), least(sum(failed_runs), 9223372036854775807),
  least(sum(input_tokens), 9223372036854775807), least(sum(output_tokens), 9223372036854775807),
  least(sum(cache_read_input_tokens), 9223372036854775807), least(sum(cache_creation_input_tokens), 9223372036854775807),
  least(sum(reasoning_output_tokens), 9223372036854775807), sum(cost_nano), sum(estimated_nano), sum(overrun_nano),
  sum(value_nano), least(sum(duration_ms), 9223372036854775807), least(sum(timed_runs), 9223372036854775807)
  from usage_15m group by 1, 2, model, provider, workflow_id, deployment_id, department_id, key_id, user_id;
drop policy filling on usage_hours;
