CREATE SCHEMA public;

COMMENT ON SCHEMA public IS 'standard public schema';

CREATE TABLE public.passkeys (
    id uuid NOT NULL,
    person_id uuid NOT NULL,
    credential_id bytea NOT NULL,
    public_key bytea NOT NULL,
    counter bigint NOT NULL,
    is_backup_eligible boolean NOT NULL,
    is_backed_up boolean NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    last_used_at timestamp with time zone,
    CONSTRAINT passkeys_counter_check CHECK (((counter >= 0) AND (counter <= '4294967295'::bigint))),
    CONSTRAINT passkeys_credential_id_check CHECK (((length(credential_id) >= 16) AND (length(credential_id) <= 1023))),
    CONSTRAINT passkeys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT passkeys_public_key_check CHECK ((length(public_key) <= 2048))
);

CREATE FUNCTION public.add_passkey(new_id uuid, new_person_id uuid, new_credential_id bytea, new_public_key bytea, new_counter bigint, new_is_backup_eligible boolean, new_is_backed_up boolean, new_name text, most integer) RETURNS SETOF public.passkeys
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
begin
  perform pg_advisory_xact_lock(hashtextextended('passkeys ' || new_person_id, 0));
  if (select count(*) from passkeys p where p.person_id = new_person_id) >= most then return; end if;
  return query
    insert into passkeys (id, person_id, credential_id, public_key, counter, is_backup_eligible, is_backed_up, name)
    values (new_id, new_person_id, new_credential_id, new_public_key, new_counter, new_is_backup_eligible, new_is_backed_up, new_name)
    on conflict do nothing returning *;
end
$$;

CREATE FUNCTION public.admit_application_role() RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  queue_table regclass;
begin
  grant usage on schema graphile_worker to weir_app;
  grant select, insert, update, delete on all tables in schema graphile_worker to weir_app;
  grant usage, select on all sequences in schema graphile_worker to weir_app;
  grant execute on all functions in schema graphile_worker to weir_app;
  for queue_table in
    select c.oid from pg_class c
     where c.relnamespace = 'graphile_worker'::regnamespace and c.relkind = 'r' and c.relrowsecurity
       and not exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'application')
  loop
    execute format('create policy application on %s to weir_app using (true) with check (true)', queue_table);
  end loop;
end
$$;

CREATE FUNCTION public.admit_backup_role() RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  guarded regclass;
begin
  if not exists (select from pg_roles where rolname = 'weir_backup') then
    return;
  end if;
  grant usage on schema public, graphile_worker to weir_backup;
  grant select on all tables in schema public, graphile_worker to weir_backup;
  grant select on all sequences in schema public, graphile_worker to weir_backup;
  alter default privileges in schema public grant select on tables to weir_backup;
  for guarded in
    select c.oid from pg_class c
     where c.relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace) and c.relkind in ('r', 'p') and c.relrowsecurity
       and not exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'backup')
  loop
    execute format('create policy backup on %s for select to weir_backup using (true)', guarded);
  end loop;
end
$$;

CREATE FUNCTION public.advance_event_order(beyond bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
declare
  last bigint;
begin
  select s.last_value into last from event_order s;
  if last > beyond then return; end if;
  -- The sequence is locked by its change, so nobody takes a number between this look and the end of the transaction.
  execute format('alter sequence event_order increment by 1');
  select s.last_value into last from event_order s;
  if last <= beyond then execute format('alter sequence event_order restart with %s', beyond + 1); end if;
end
$$;

CREATE TABLE public.allowances (
    org_id uuid NOT NULL,
    key uuid NOT NULL,
    limit_id uuid NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    unit text NOT NULL,
    period_label text NOT NULL,
    period_start timestamp with time zone,
    period_end timestamp with time zone,
    spent bigint DEFAULT 0 NOT NULL,
    held bigint DEFAULT 0 NOT NULL,
    overrun bigint DEFAULT 0 NOT NULL,
    late bigint DEFAULT 0 NOT NULL,
    would_refuse bigint DEFAULT 0 NOT NULL,
    last_seq bigint NOT NULL,
    CONSTRAINT allowances_held_check CHECK ((held >= 0)),
    CONSTRAINT allowances_spent_check CHECK ((spent >= 0))
)
WITH (fillfactor='50', autovacuum_vacuum_threshold='1000', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_cost_delay='0');

ALTER TABLE ONLY public.allowances FORCE ROW LEVEL SECURITY;

CREATE TABLE public.approvals (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    status text NOT NULL,
    rule_id uuid NOT NULL,
    rule_version integer NOT NULL,
    rule_name text NOT NULL,
    reason text NOT NULL,
    fingerprint bytea NOT NULL,
    attempted text NOT NULL,
    attempt jsonb NOT NULL,
    estimated_nano bigint NOT NULL,
    requested_by uuid NOT NULL,
    decided_by uuid,
    decided_at timestamp with time zone,
    note text,
    max_runs integer,
    max_amount_nano bigint,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    decided_by_member uuid,
    CONSTRAINT approvals_max_amount_nano_check CHECK ((max_amount_nano >= 0)),
    CONSTRAINT approvals_max_runs_check CHECK ((max_runs > 0)),
    CONSTRAINT approvals_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'denied'::text, 'expired'::text])))
);

ALTER TABLE ONLY public.approvals FORCE ROW LEVEL SECURITY;

CREATE TABLE public.limits (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    scope_kind text NOT NULL,
    scope_id text DEFAULT ''::text NOT NULL,
    unit text NOT NULL,
    amount bigint,
    period text NOT NULL,
    anchor date,
    timezone text NOT NULL,
    next_period text,
    next_anchor date,
    next_timezone text,
    next_from timestamp with time zone,
    enforcement text NOT NULL,
    thresholds smallint[] DEFAULT '{}'::smallint[] NOT NULL,
    ended_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    max_new_per_day integer,
    and_kind text,
    and_id text,
    counts_from timestamp with time zone,
    CONSTRAINT limits_amount_check CHECK ((amount >= 0)),
    CONSTRAINT limits_and_check CHECK ((((and_kind IS NULL) = (and_id IS NULL)) AND ((and_kind IS NULL) OR ((kind = 'budget'::text) AND (scope_kind <> 'org'::text) AND (and_kind <> scope_kind) AND (and_id <> ''::text) AND (and_kind = ANY (ARRAY['department'::text, 'workflow'::text, 'deployment'::text, 'customer'::text, 'user'::text, 'key'::text, 'provider'::text, 'model'::text, 'tag'::text])))))),
    CONSTRAINT limits_check1 CHECK ((((next_from IS NULL) = (next_period IS NULL)) AND ((next_from IS NULL) = (next_timezone IS NULL)))),
    CONSTRAINT limits_default_check CHECK ((((kind = 'budget_default'::text) = (max_new_per_day IS NOT NULL)) AND (NOT ((kind = ANY (ARRAY['budget_default'::text, 'concurrency_default'::text])) AND (scope_kind = 'org'::text))))),
    CONSTRAINT limits_enforcement_check CHECK ((enforcement = ANY (ARRAY['block'::text, 'alert'::text]))),
    CONSTRAINT limits_kind_check CHECK ((kind = ANY (ARRAY['spend_cap'::text, 'budget'::text, 'plan'::text, 'budget_default'::text, 'concurrency'::text, 'concurrency_default'::text]))),
    CONSTRAINT limits_max_new_per_day_check CHECK ((max_new_per_day > 0)),
    CONSTRAINT limits_next_period_check CHECK ((next_period = ANY (ARRAY['day'::text, 'week'::text, 'month'::text, 'quarter'::text, 'year'::text]))),
    CONSTRAINT limits_period_check CHECK ((period = ANY (ARRAY['day'::text, 'week'::text, 'month'::text, 'quarter'::text, 'year'::text]))),
    CONSTRAINT limits_scope_check CHECK ((((scope_kind = 'org'::text) OR (kind = ANY (ARRAY['budget_default'::text, 'concurrency_default'::text]))) = (scope_id = ''::text))),
    CONSTRAINT limits_scope_kind_check CHECK (((scope_kind = ANY (ARRAY['org'::text, 'department'::text, 'workflow'::text, 'deployment'::text, 'user'::text, 'key'::text, 'provider'::text, 'model'::text, 'tag'::text])) OR ((scope_kind = 'customer'::text) AND (kind = ANY (ARRAY['concurrency'::text, 'concurrency_default'::text]))))),
    CONSTRAINT limits_unit_check CHECK ((unit = ANY (ARRAY['usd'::text, 'runs'::text, 'tokens'::text, 'concurrent_runs'::text])))
);

ALTER TABLE ONLY public.limits FORCE ROW LEVEL SECURITY;

CREATE TABLE public.packs (
    org_id uuid NOT NULL,
    owner text NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    amount bigint NOT NULL,
    priority integer DEFAULT 100 NOT NULL,
    expires_at timestamp with time zone,
    voided_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT packs_amount_check CHECK ((amount > 0))
);

ALTER TABLE ONLY public.packs FORCE ROW LEVEL SECURITY;

CREATE TABLE public.usage_dimension_values (
    org_id uuid NOT NULL,
    dimension text NOT NULL,
    value text NOT NULL COLLATE pg_catalog."C",
    first_seen_on date NOT NULL,
    last_seen_on date NOT NULL
);

ALTER TABLE ONLY public.usage_dimension_values FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.allowance_is_over(a public.allowances) RETURNS boolean
    LANGUAGE sql STABLE
    RETURN CASE WHEN ((a).period_end IS NOT NULL) THEN ((a).period_end < (clock_timestamp() - '400 days'::interval)) WHEN ((a).kind = 'credits'::text) THEN (NOT (EXISTS (SELECT FROM public.packs p WHERE ((p.org_id = (allowance_is_over.a).org_id) AND (p.owner = (allowance_is_over.a).subject) AND (p.id = (allowance_is_over.a).limit_id))))) WHEN ((a).kind = 'concurrency'::text) THEN (NOT (EXISTS (SELECT FROM public.limits l WHERE ((l.org_id = (allowance_is_over.a).org_id) AND (l.id = (allowance_is_over.a).limit_id))))) WHEN ((a).kind = 'concurrency_default'::text) THEN true WHEN ((a).kind = 'approval'::text) THEN (NOT (EXISTS (SELECT FROM public.approvals g WHERE ((g.org_id = (allowance_is_over.a).org_id) AND (g.id = (allowance_is_over.a).limit_id))))) WHEN ((a).kind = 'known_key'::text) THEN (NOT (EXISTS (SELECT FROM public.limits l WHERE ((l.org_id = (allowance_is_over.a).org_id) AND (l.id = (allowance_is_over.a).limit_id))))) WHEN ((a).kind = ANY (ARRAY['known_customer'::text, 'known_department'::text, 'known_workflow'::text, 'known_deployment'::text, 'known_user'::text])) THEN (NOT (EXISTS (SELECT FROM public.usage_dimension_values v WHERE ((v.org_id = (allowance_is_over.a).org_id) AND (v.dimension = (substr((allowance_is_over.a).kind, 7) || '_id'::text)) AND (v.value = (allowance_is_over.a).subject))))) ELSE false END;

CREATE FUNCTION public.app_is_operator() RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (COALESCE(current_setting('app.operator'::text, true), ''::text) = 'on'::text);

CREATE FUNCTION public.app_is_publisher() RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (COALESCE(current_setting('app.publisher'::text, true), ''::text) = 'on'::text);

CREATE FUNCTION public.app_orgs() RETURNS uuid[]
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (string_to_array(NULLIF(current_setting('app.orgs'::text, true), ''::text), ','::text))::uuid[];

CREATE FUNCTION public.arrive_rows(org uuid, move uuid, into_table text, given text[], gone jsonb, is_whole boolean) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    AS $_$
declare
  rel regclass := to_regclass(quote_ident(into_table));
  org_column text := case into_table when 'orgs' then 'id' else 'org_id' end;
  columns text;
  keys text;
  matches text;
  others text;
  is_foreign boolean;
begin
  if not exists (select from org_moves m where m.moved_org = org and m.move_id = move and m.direction = 'in' and m.state = 'arriving') then
    raise exception 'the organization does not arrive' using errcode = 'WE003';
  end if;
  if rel is null or not exists (select from pg_trigger t where t.tgrelid = rel and t.tgname = 'gate_written') then
    raise exception 'not a table of organizations: %', into_table using errcode = 'WE003';
  end if;
  execute format('select exists (select from unnest($1::%s[]) u where u.%I is distinct from $2)', rel, org_column)
    into is_foreign using given, org;
  if is_foreign then raise exception 'a row of another organization in %', into_table using errcode = 'WE003'; end if;
  select string_agg(quote_ident(a.attname), ', ' order by a.attnum) into columns from pg_attribute a
   where a.attrelid = rel and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     -- The place among the events of this cell.
     and not (into_table = 'outbox' and a.attname = 'seq');
  select string_agg(quote_ident(a.attname), ', '), string_agg(format('t.%1$I = k.%1$I', a.attname), ' and ') into keys, matches
    from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey) where i.indrelid = rel and i.indisprimary;
  select string_agg(format('%1$I = excluded.%1$I', a.attname), ', ') into others from pg_attribute a
   where a.attrelid = rel and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     and not exists (select from pg_index i where i.indrelid = rel and i.indisprimary and a.attnum = any (i.indkey));
  perform set_config('app.orgs', org::text, true), set_config('app.move', move::text, true);
  if is_whole then
    execute format('delete from %s where %I = $1', rel, org_column) using org;
  end if;
  if jsonb_array_length(gone) > 0 then
    execute format('delete from %s t using jsonb_populate_recordset(null::%1$s, $2) k where t.%I = $1 and %s', rel, org_column, matches)
      using org, gone;
  end if;
  execute format(
    'insert into %1$s (%2$s) select %2$s from unnest($1::%1$s[]) with ordinality as u order by u.ordinality on conflict (%3$s) do %4$s',
    rel, columns, keys, case when others is null or into_table = 'outbox' then 'nothing' else 'update set ' || others end
  ) using given;
  perform set_config('app.move', '', true);
end
$_$;

CREATE FUNCTION public.assert_rows(reached bigint, meant bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  if reached <> meant then
    raise exception 'a ledger statement reached % rows instead of %', reached, meant using errcode = 'WE001';
  end if;
end
$$;

CREATE TABLE public.org_moves (
    moved_org uuid NOT NULL,
    move_id uuid NOT NULL,
    attempt bigint NOT NULL,
    direction text NOT NULL,
    cell text NOT NULL,
    state text NOT NULL,
    epoch bigint NOT NULL,
    term bigint DEFAULT 0 NOT NULL,
    applied bigint DEFAULT 0 NOT NULL,
    captures boolean DEFAULT false NOT NULL,
    progress jsonb DEFAULT '{}'::jsonb NOT NULL,
    residency text DEFAULT 'none'::text NOT NULL,
    started_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    frozen_at timestamp with time zone,
    moved_at timestamp with time zone,
    ended_at timestamp with time zone,
    keep_until timestamp with time zone,
    CONSTRAINT org_moves_epoch_check CHECK ((epoch > 0)),
    CONSTRAINT org_moves_state_check CHECK ((((direction = 'out'::text) AND (state = ANY (ARRAY['copying'::text, 'frozen'::text, 'moved'::text, 'done'::text, 'purged'::text, 'cancelled'::text]))) OR ((direction = 'in'::text) AND (state = ANY (ARRAY['arriving'::text, 'ready'::text, 'active'::text, 'discarded'::text])))))
);

CREATE FUNCTION public.closed_orgs() RETURNS uuid[]
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT COALESCE(array_agg(m.moved_org), '{}'::uuid[]) AS "coalesce"
    FROM public.org_moves m
   WHERE (m.state = ANY (ARRAY['frozen'::text, 'moved'::text, 'done'::text, 'arriving'::text, 'ready'::text, 'discarded'::text]));
END;

CREATE TABLE public.audit_heads (
    org_id uuid NOT NULL,
    seq bigint NOT NULL,
    mac bytea NOT NULL,
    mac_key_id text NOT NULL,
    handed_over_to text
);

ALTER TABLE ONLY public.audit_heads FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.audit_chains_to_hand_over(newest text, most integer) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT h.org_id
    FROM public.audit_heads h
   WHERE ((h.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND (h.seq > 0) AND ((h.mac_key_id <> audit_chains_to_hand_over.newest) OR (h.handed_over_to IS DISTINCT FROM audit_chains_to_hand_over.newest)))
   ORDER BY h.org_id
  LIMIT audit_chains_to_hand_over.most;
END;

CREATE FUNCTION public.award_foreign_key(org uuid, wanted uuid) RETURNS TABLE(ended_org_id uuid, ended_id uuid)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
declare
  contest uuid;
begin
  select f.contest_id into contest from foreign_keys f where f.org_id = org and f.id = wanted and f.contested_at is not null;
  perform from foreign_keys f where f.contest_id = contest order by f.org_id, f.id for no key update;
  update foreign_keys f set contested_at = null, held = true, updated_at = clock_timestamp()
   where f.org_id = org and f.id = wanted and contest is not null;
  return query
    update foreign_keys f set ended_at = clock_timestamp(), updated_at = clock_timestamp()
     where f.contest_id = contest and not (f.org_id = org and f.id = wanted) and f.ended_at is null
    returning f.org_id, f.id;
end $$;

CREATE FUNCTION public.benchmark_keep_set(kept uuid, orgs uuid[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
begin
  if not app_is_publisher() then raise exception 'only whoever publishes makes sets'; end if;
  insert into benchmark_sets (id) values (kept);
  insert into benchmark_set_orgs (org_id, set_id) select o, kept from unnest(orgs) as o;
end
$$;

CREATE TABLE public.benchmark_members (
    org_id uuid NOT NULL,
    cohort_id uuid NOT NULL,
    joined_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY public.benchmark_members FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.benchmark_members_of(cohort uuid) RETURNS TABLE(org_id uuid, joined_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT m.org_id,
     m.joined_at
    FROM public.benchmark_members m
   WHERE (( SELECT public.app_is_publisher() AS app_is_publisher) AND (m.cohort_id = benchmark_members_of.cohort))
   ORDER BY m.org_id;
END;

CREATE TABLE public.benchmark_periods (
    cohort_id uuid NOT NULL,
    period_start timestamp with time zone NOT NULL,
    period_end timestamp with time zone NOT NULL,
    contributors_needed integer NOT NULL,
    told_size integer,
    judged_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

CREATE TABLE public.benchmark_results (
    cohort_id uuid NOT NULL,
    period_start timestamp with time zone NOT NULL,
    metric text NOT NULL,
    set_id uuid,
    percentiles jsonb NOT NULL,
    withheld jsonb NOT NULL
);

CREATE TABLE public.benchmark_set_orgs (
    org_id uuid NOT NULL,
    set_id uuid NOT NULL
);

ALTER TABLE ONLY public.benchmark_set_orgs FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.benchmark_open_metrics(cohort uuid, start timestamp with time zone) RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT r.metric
    FROM (public.benchmark_results r
      JOIN public.benchmark_periods p ON (((p.cohort_id = r.cohort_id) AND (p.period_start = r.period_start))))
   WHERE ((r.cohort_id = benchmark_open_metrics.cohort) AND (r.period_start = benchmark_open_metrics.start) AND (p.contributors_needed <= ( SELECT count(*) AS count
            FROM (public.benchmark_set_orgs o
              JOIN public.benchmark_members m ON (((m.org_id = o.org_id) AND (m.cohort_id = r.cohort_id))))
           WHERE ((o.set_id = r.set_id) AND (m.joined_at < p.period_end)))));
END;

CREATE FUNCTION public.benchmark_sets_with(orgs uuid[]) RETURNS TABLE(set_id uuid, org_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT o.set_id,
     o.org_id
    FROM public.benchmark_set_orgs o
   WHERE (( SELECT public.app_is_publisher() AS app_is_publisher) AND (o.set_id IN ( SELECT w.set_id
            FROM public.benchmark_set_orgs w
           WHERE (w.org_id = ANY (benchmark_sets_with.orgs)))))
   ORDER BY o.set_id, o.org_id;
END;

CREATE TABLE public.refusal_counts (
    org_id uuid NOT NULL,
    day date NOT NULL,
    error_code text NOT NULL,
    count bigint NOT NULL
);

ALTER TABLE ONLY public.refusal_counts FORCE ROW LEVEL SECURITY;

CREATE TABLE public.usage_15m (
    org_id uuid NOT NULL,
    bucket timestamp with time zone NOT NULL,
    model text NOT NULL,
    provider text NOT NULL,
    workflow_id text NOT NULL,
    deployment_id text NOT NULL,
    department_id text NOT NULL,
    runs bigint NOT NULL,
    failed_runs bigint NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cache_read_input_tokens bigint NOT NULL,
    cache_creation_input_tokens bigint NOT NULL,
    reasoning_output_tokens bigint NOT NULL,
    cost_nano numeric(28,0) NOT NULL,
    estimated_nano numeric(28,0) NOT NULL,
    overrun_nano numeric(28,0) NOT NULL,
    value_nano numeric(28,0) NOT NULL,
    duration_ms bigint NOT NULL,
    timed_runs bigint NOT NULL,
    key_id text DEFAULT ''::text NOT NULL,
    user_id text DEFAULT ''::text NOT NULL
);

ALTER TABLE ONLY public.usage_15m FORCE ROW LEVEL SECURITY;

CREATE TABLE public.usage_days (
    org_id uuid NOT NULL,
    bucket timestamp with time zone NOT NULL,
    model text NOT NULL,
    provider text NOT NULL,
    workflow_id text NOT NULL,
    deployment_id text NOT NULL,
    department_id text NOT NULL,
    runs bigint NOT NULL,
    failed_runs bigint NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cache_read_input_tokens bigint NOT NULL,
    cache_creation_input_tokens bigint NOT NULL,
    reasoning_output_tokens bigint NOT NULL,
    cost_nano numeric(28,0) NOT NULL,
    estimated_nano numeric(28,0) NOT NULL,
    overrun_nano numeric(28,0) NOT NULL,
    value_nano numeric(28,0) NOT NULL,
    duration_ms bigint NOT NULL,
    timed_runs bigint NOT NULL,
    key_id text DEFAULT ''::text NOT NULL,
    user_id text DEFAULT ''::text NOT NULL
);

ALTER TABLE ONLY public.usage_days FORCE ROW LEVEL SECURITY;

CREATE TABLE public.usage_deltas (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    bucket timestamp with time zone NOT NULL,
    model text NOT NULL,
    provider text NOT NULL,
    workflow_id text NOT NULL,
    deployment_id text NOT NULL,
    department_id text NOT NULL,
    customer_id text,
    runs bigint NOT NULL,
    failed_runs bigint NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cache_read_input_tokens bigint NOT NULL,
    cache_creation_input_tokens bigint NOT NULL,
    reasoning_output_tokens bigint NOT NULL,
    cost_nano numeric(28,0) NOT NULL,
    estimated_nano numeric(28,0) NOT NULL,
    overrun_nano numeric(28,0) NOT NULL,
    value_nano numeric(28,0) NOT NULL,
    duration_ms bigint NOT NULL,
    timed_runs bigint NOT NULL,
    key_id text DEFAULT ''::text NOT NULL,
    user_id text DEFAULT ''::text NOT NULL
)
WITH (autovacuum_vacuum_threshold='1000', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_cost_delay='0');

ALTER TABLE ONLY public.usage_deltas FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.benchmark_sums(of_org uuid, since timestamp with time zone, until timestamp with time zone) RETURNS TABLE(runs double precision, failed_runs double precision, input_tokens double precision, output_tokens double precision, cache_read_input_tokens double precision, cost_nano double precision, duration_ms double precision, timed_runs double precision, refusals double precision)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT (COALESCE(sum(u.runs), (0)::numeric))::double precision AS "coalesce",
     (COALESCE(sum(u.failed_runs), (0)::numeric))::double precision AS "coalesce",
     (COALESCE(sum(u.input_tokens), (0)::numeric))::double precision AS "coalesce",
     (COALESCE(sum(u.output_tokens), (0)::numeric))::double precision AS "coalesce",
     (COALESCE(sum(u.cache_read_input_tokens), (0)::numeric))::double precision AS "coalesce",
     (COALESCE(sum(u.cost_nano), (0)::numeric))::double precision AS "coalesce",
     (COALESCE(sum(u.duration_ms), (0)::numeric))::double precision AS "coalesce",
     (COALESCE(sum(u.timed_runs), (0)::numeric))::double precision AS "coalesce",
     ( SELECT (COALESCE(sum(r.count), (0)::numeric))::double precision AS "coalesce"
            FROM public.refusal_counts r
           WHERE ((r.org_id = benchmark_sums.of_org) AND (r.day >= ((benchmark_sums.since AT TIME ZONE 'UTC'::text))::date) AND (r.day < ((benchmark_sums.until AT TIME ZONE 'UTC'::text))::date) AND (r.error_code <> ALL (ARRAY['rate_limited'::text, 'validation_failed'::text, 'no_model_passes_eval'::text, 'policy_expression_error'::text])))) AS "coalesce"
    FROM ( SELECT f.runs,
             f.failed_runs,
             f.input_tokens,
             f.output_tokens,
             f.cache_read_input_tokens,
             f.cost_nano,
             f.duration_ms,
             f.timed_runs
            FROM public.usage_15m f
           WHERE ((f.org_id = benchmark_sums.of_org) AND (f.bucket >= benchmark_sums.since) AND (f.bucket < benchmark_sums.until))
         UNION ALL
          SELECT f.runs,
             f.failed_runs,
             f.input_tokens,
             f.output_tokens,
             f.cache_read_input_tokens,
             f.cost_nano,
             f.duration_ms,
             f.timed_runs
            FROM public.usage_days f
           WHERE ((f.org_id = benchmark_sums.of_org) AND (f.bucket >= benchmark_sums.since) AND (f.bucket < benchmark_sums.until))
         UNION ALL
          SELECT f.runs,
             f.failed_runs,
             f.input_tokens,
             f.output_tokens,
             f.cache_read_input_tokens,
             f.cost_nano,
             f.duration_ms,
             f.timed_runs
            FROM public.usage_deltas f
           WHERE ((f.org_id = benchmark_sums.of_org) AND (f.customer_id IS NULL) AND (f.bucket >= benchmark_sums.since) AND (f.bucket < benchmark_sums.until))) u;
END;

CREATE FUNCTION public.benchmark_sums_of(cohort uuid, orgs uuid[], since timestamp with time zone, until timestamp with time zone) RETURNS TABLE(org_id uuid, runs double precision, failed_runs double precision, input_tokens double precision, output_tokens double precision, cache_read_input_tokens double precision, cost_nano double precision, duration_ms double precision, timed_runs double precision, refusals double precision)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT m.org_id,
     s.runs,
     s.failed_runs,
     s.input_tokens,
     s.output_tokens,
     s.cache_read_input_tokens,
     s.cost_nano,
     s.duration_ms,
     s.timed_runs,
     s.refusals
    FROM (public.benchmark_members m
      CROSS JOIN LATERAL public.benchmark_sums(m.org_id, benchmark_sums_of.since, benchmark_sums_of.until) s(runs, failed_runs, input_tokens, output_tokens, cache_read_input_tokens, cost_nano, duration_ms, timed_runs, refusals))
   WHERE (( SELECT public.app_is_publisher() AS app_is_publisher) AND (m.cohort_id = benchmark_sums_of.cohort) AND (m.org_id = ANY (benchmark_sums_of.orgs)));
END;

CREATE FUNCTION public.org_standing(org uuid, status text) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT
         CASE
             WHEN (EXISTS ( SELECT
                FROM public.org_moves m
               WHERE ((m.moved_org = org_standing.org) AND (m.state = ANY (ARRAY['frozen'::text, 'moved'::text, 'done'::text, 'arriving'::text, 'ready'::text, 'discarded'::text]))))) THEN 'moving'::text
             ELSE status
         END AS status;
END;

CREATE TABLE public.api_keys (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    scopes text[] NOT NULL,
    pins jsonb DEFAULT '{}'::jsonb NOT NULL,
    mac bytea NOT NULL,
    mac_key_id text NOT NULL,
    not_before timestamp with time zone,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    rotated_from uuid,
    minted_by uuid,
    lineage_id uuid NOT NULL,
    owner_id uuid,
    minted_by_member uuid,
    former_owner_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    CONSTRAINT api_keys_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text, 'viewer'::text, 'service'::text, 'operator'::text])))
);

ALTER TABLE ONLY public.api_keys FORCE ROW LEVEL SECURITY;

CREATE TABLE public.memberships (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    person_id uuid NOT NULL,
    email text NOT NULL,
    email_key text NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    user_name text,
    external_id text,
    invited_by_key uuid,
    invited_by_member uuid,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    accepted_at timestamp with time zone,
    deactivated_at timestamp with time zone,
    removed_at timestamp with time zone,
    CONSTRAINT memberships_email_check CHECK (((length(email) >= 3) AND (length(email) <= 254))),
    CONSTRAINT memberships_external_id_check CHECK ((length(external_id) <= 254)),
    CONSTRAINT memberships_name_check CHECK ((length(name) <= 200)),
    CONSTRAINT memberships_org_id_check CHECK ((org_id <> '00000000-0000-0000-0000-000000000000'::uuid)),
    CONSTRAINT memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text, 'viewer'::text]))),
    CONSTRAINT memberships_user_name_check CHECK ((length(user_name) <= 254))
);

ALTER TABLE ONLY public.memberships FORCE ROW LEVEL SECURITY;

CREATE TABLE public.org_rate_limits (
    org_id uuid NOT NULL,
    read_rpm integer,
    on_unavailable text DEFAULT 'local'::text NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT org_rate_limits_on_unavailable_check CHECK ((on_unavailable = ANY (ARRAY['local'::text, 'deny'::text, 'allow'::text]))),
    CONSTRAINT org_rate_limits_read_rpm_check CHECK ((read_rpm > 0))
);

ALTER TABLE ONLY public.org_rate_limits FORCE ROW LEVEL SECURITY;

CREATE TABLE public.orgs (
    id uuid NOT NULL,
    name text NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    status_reason text,
    ip_allow_list text[] DEFAULT '{}'::text[] NOT NULL,
    required_dimensions text[] DEFAULT '{}'::text[] NOT NULL,
    home_region text,
    residency text DEFAULT 'none'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    timezone text DEFAULT 'UTC'::text NOT NULL,
    max_new_values_per_day integer,
    suspended_at timestamp with time zone,
    home_epoch bigint DEFAULT 1 NOT NULL,
    CONSTRAINT orgs_home_epoch_check CHECK ((home_epoch > 0)),
    CONSTRAINT orgs_max_new_values_per_day_check CHECK ((max_new_values_per_day > 0)),
    CONSTRAINT orgs_residency_check CHECK ((residency = ANY (ARRAY['none'::text, 'strict'::text]))),
    CONSTRAINT orgs_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text])))
);

ALTER TABLE ONLY public.orgs FORCE ROW LEVEL SECURITY;

CREATE TABLE public.rate_limit_policies (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    per text NOT NULL,
    match text,
    amount bigint NOT NULL,
    window_seconds integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT rate_limit_policies_amount_check CHECK ((amount > 0)),
    CONSTRAINT rate_limit_policies_kind_check CHECK ((kind = ANY (ARRAY['requests'::text, 'tokens'::text, 'quota'::text]))),
    CONSTRAINT rate_limit_policies_per_check CHECK ((per = ANY (ARRAY['org'::text, 'key'::text, 'route_class'::text, 'model'::text]))),
    CONSTRAINT rate_limit_policies_window_seconds_check CHECK ((window_seconds > 0))
);

ALTER TABLE ONLY public.rate_limit_policies FORCE ROW LEVEL SECURITY;

CREATE TABLE public.support_grants (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    operator_key_id uuid NOT NULL,
    scope text NOT NULL,
    reason text NOT NULL,
    mac bytea NOT NULL,
    mac_key_id text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    revoked_by jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    closed_at timestamp with time zone,
    CONSTRAINT support_grants_scope_check CHECK ((scope = ANY (ARRAY['read'::text, 'billing'::text, 'configuration'::text])))
);

ALTER TABLE ONLY public.support_grants FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.caller_by_id(wanted uuid) RETURNS TABLE(kind text, org_id uuid, id uuid, lineage_id uuid, role text, scopes text[], pins jsonb, mac bytea, mac_key_id text, not_before timestamp with time zone, expires_at timestamp with time zone, revoked_at timestamp with time zone, grant_scope text, operator_key_id uuid, person_id uuid, email text, org_status text, ip_allow_list text[], required_dimensions text[], home_region text, residency text, read_rpm integer, on_unavailable text, policies jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 WITH caller AS (
          SELECT 'key'::text AS kind,
             k.org_id,
             k.id,
             k.lineage_id,
             k.role,
             k.scopes,
             k.pins,
             k.mac,
             k.mac_key_id,
             k.not_before,
             k.expires_at,
             k.revoked_at,
             NULL::text AS grant_scope,
             NULL::uuid AS operator_key_id,
             NULL::uuid AS person_id,
             NULL::text AS email,
             k.org_id AS listed_by
            FROM public.api_keys k
           WHERE (k.id = caller_by_id.wanted)
         UNION ALL
          SELECT 'support'::text AS text,
             g.org_id,
             g.id,
             g.id,
             'operator'::text AS text,
             '{}'::text[] AS text,
             '{}'::jsonb AS jsonb,
             g.mac,
             g.mac_key_id,
             NULL::timestamp with time zone AS timestamptz,
             g.expires_at,
             COALESCE(g.revoked_at, ( SELECT k.revoked_at
                    FROM public.api_keys k
                   WHERE (k.id = g.operator_key_id))) AS "coalesce",
             g.scope,
             g.operator_key_id,
             NULL::uuid AS uuid,
             NULL::text AS text,
             '00000000-0000-0000-0000-000000000000'::uuid AS uuid
            FROM public.support_grants g
           WHERE (g.id = caller_by_id.wanted)
         UNION ALL
          SELECT 'person'::text AS text,
             m.org_id,
             m.id,
             m.id,
             m.role,
             '{}'::text[] AS text,
             '{}'::jsonb AS jsonb,
             decode(repeat('00'::text, 32), 'hex'::text) AS decode,
             ''::text AS text,
             NULL::timestamp with time zone AS timestamptz,
             NULL::timestamp with time zone AS timestamptz,
             COALESCE(m.removed_at, m.deactivated_at) AS "coalesce",
             NULL::text AS text,
             NULL::uuid AS uuid,
             m.person_id,
             m.email,
             m.org_id
            FROM public.memberships m
           WHERE (m.id = caller_by_id.wanted)
         )
  SELECT c.kind,
     c.org_id,
     c.id,
     c.lineage_id,
     c.role,
     c.scopes,
     c.pins,
     c.mac,
     c.mac_key_id,
     c.not_before,
     c.expires_at,
     c.revoked_at,
     c.grant_scope,
     c.operator_key_id,
     c.person_id,
     c.email,
     public.org_standing(o.id, o.status) AS org_standing,
     l.ip_allow_list,
     o.required_dimensions,
     o.home_region,
     o.residency,
     r.read_rpm,
     r.on_unavailable,
     COALESCE(( SELECT jsonb_agg(jsonb_build_object('id', p.id, 'kind', p.kind, 'per', p.per, 'match', p.match, 'amount', p.amount, 'window_seconds', p.window_seconds) ORDER BY p.id) AS jsonb_agg
            FROM public.rate_limit_policies p
           WHERE (p.org_id = c.org_id)), '[]'::jsonb) AS "coalesce"
    FROM (((caller c
      JOIN public.orgs o ON ((o.id = c.org_id)))
      JOIN public.orgs l ON ((l.id = c.listed_by)))
      LEFT JOIN public.org_rate_limits r ON ((r.org_id = c.org_id)));
END;

CREATE TABLE public.sessions (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    key_id uuid,
    grant_id uuid,
    digest bytea NOT NULL,
    address text NOT NULL,
    user_agent text NOT NULL,
    idle_seconds integer NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    last_used_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    member_id uuid,
    way text DEFAULT 'key'::text NOT NULL,
    connection_id uuid,
    CONSTRAINT sessions_check CHECK ((num_nonnulls(key_id, grant_id, member_id) = 1)),
    CONSTRAINT sessions_digest_check CHECK ((length(digest) = 32)),
    CONSTRAINT sessions_idle_seconds_check CHECK ((idle_seconds > 0)),
    CONSTRAINT sessions_user_agent_check CHECK ((length(user_agent) <= 300)),
    CONSTRAINT sessions_way_check CHECK ((way = ANY (ARRAY['key'::text, 'link'::text, 'oidc'::text, 'saml'::text, 'passkey'::text])))
);

ALTER TABLE ONLY public.sessions FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.caller_of_token(wanted uuid) RETURNS TABLE(token_id uuid, kind text, org_id uuid, id uuid, lineage_id uuid, role text, scopes text[], pins jsonb, mac bytea, mac_key_id text, not_before timestamp with time zone, expires_at timestamp with time zone, revoked_at timestamp with time zone, grant_scope text, operator_key_id uuid, person_id uuid, email text, org_status text, ip_allow_list text[], required_dimensions text[], home_region text, residency text, read_rpm integer, on_unavailable text, policies jsonb, session_digest bytea, session_idle_seconds integer, session_last_used_at timestamp with time zone, session_expires_at timestamp with time zone, session_revoked_at timestamp with time zone, session_created_at timestamp with time zone, session_way text, session_connection_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT caller_of_token.wanted AS wanted,
     c.kind,
     c.org_id,
     c.id,
     c.lineage_id,
     c.role,
     c.scopes,
     c.pins,
     c.mac,
     c.mac_key_id,
     c.not_before,
     c.expires_at,
     c.revoked_at,
     c.grant_scope,
     c.operator_key_id,
     c.person_id,
     c.email,
     c.org_status,
     c.ip_allow_list,
     c.required_dimensions,
     c.home_region,
     c.residency,
     c.read_rpm,
     c.on_unavailable,
     c.policies,
     NULL::bytea AS bytea,
     NULL::integer AS int4,
     NULL::timestamp with time zone AS timestamptz,
     NULL::timestamp with time zone AS timestamptz,
     NULL::timestamp with time zone AS timestamptz,
     NULL::timestamp with time zone AS timestamptz,
     NULL::text AS text,
     NULL::uuid AS uuid
    FROM public.caller_by_id(caller_of_token.wanted) c(kind, org_id, id, lineage_id, role, scopes, pins, mac, mac_key_id, not_before, expires_at, revoked_at, grant_scope, operator_key_id, person_id, email, org_status, ip_allow_list, required_dimensions, home_region, residency, read_rpm, on_unavailable, policies)
 UNION ALL
  SELECT s.id,
     c.kind,
     c.org_id,
     c.id,
     c.lineage_id,
     c.role,
     c.scopes,
     c.pins,
     c.mac,
     c.mac_key_id,
     c.not_before,
     c.expires_at,
     c.revoked_at,
     c.grant_scope,
     c.operator_key_id,
     c.person_id,
     c.email,
     c.org_status,
     c.ip_allow_list,
     c.required_dimensions,
     c.home_region,
     c.residency,
     c.read_rpm,
     c.on_unavailable,
     c.policies,
     s.digest,
     s.idle_seconds,
     s.last_used_at,
     s.expires_at,
     s.revoked_at,
     s.created_at,
     s.way,
     s.connection_id
    FROM (public.sessions s
      CROSS JOIN LATERAL public.caller_by_id(COALESCE(s.key_id, s.grant_id, s.member_id)) c(kind, org_id, id, lineage_id, role, scopes, pins, mac, mac_key_id, not_before, expires_at, revoked_at, grant_scope, operator_key_id, person_id, email, org_status, ip_allow_list, required_dimensions, home_region, residency, read_rpm, on_unavailable, policies))
   WHERE (s.id = caller_of_token.wanted);
END;

CREATE TABLE public.foreign_keys (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    key_id uuid NOT NULL,
    mac bytea NOT NULL,
    mac_key_id text NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    uses bigint DEFAULT 0 NOT NULL,
    last_used_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    contest_id uuid,
    contested_at timestamp with time zone,
    held boolean DEFAULT false NOT NULL,
    CONSTRAINT foreign_keys_mac_check CHECK ((length(mac) = 32)),
    CONSTRAINT foreign_keys_uses_check CHECK ((uses >= 0))
);

ALTER TABLE ONLY public.foreign_keys FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.caller_of_foreign_key(wanted bytea[]) RETURNS TABLE(foreign_id uuid, foreign_mac_key_id text, foreign_ends_at timestamp with time zone, token_id uuid, kind text, org_id uuid, id uuid, lineage_id uuid, role text, scopes text[], pins jsonb, mac bytea, mac_key_id text, not_before timestamp with time zone, expires_at timestamp with time zone, revoked_at timestamp with time zone, grant_scope text, operator_key_id uuid, person_id uuid, email text, org_status text, ip_allow_list text[], required_dimensions text[], home_region text, residency text, read_rpm integer, on_unavailable text, policies jsonb, session_digest bytea, session_idle_seconds integer, session_last_used_at timestamp with time zone, session_expires_at timestamp with time zone, session_revoked_at timestamp with time zone, session_created_at timestamp with time zone, session_way text, session_connection_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 WITH claims AS (
          SELECT f_1.id,
             f_1.key_id,
             f_1.mac_key_id,
             LEAST(f_1.ends_at, f_1.ended_at) AS ends_at,
             ((k.revoked_at IS NULL) AND (LEAST(f_1.ends_at, f_1.ended_at, k.expires_at) > clock_timestamp())) AS is_live
            FROM (public.foreign_keys f_1
              JOIN public.api_keys k ON (((k.org_id = f_1.org_id) AND (k.id = f_1.key_id))))
           WHERE ((f_1.mac = ANY (caller_of_foreign_key.wanted)) AND ((f_1.contested_at IS NULL) OR f_1.held))
         ), chosen AS (
          SELECT claims.id,
             claims.key_id,
             claims.mac_key_id,
             claims.ends_at,
             claims.is_live
            FROM claims
           WHERE (claims.is_live OR (NOT (EXISTS ( SELECT
                    FROM claims c_1
                   WHERE c_1.is_live))))
           ORDER BY claims.ends_at DESC, claims.id
          LIMIT 1
         )
  SELECT f.id,
     f.mac_key_id,
     f.ends_at,
     c.token_id,
     c.kind,
     c.org_id,
     c.id,
     c.lineage_id,
     c.role,
     c.scopes,
     c.pins,
     c.mac,
     c.mac_key_id,
     c.not_before,
     c.expires_at,
     c.revoked_at,
     c.grant_scope,
     c.operator_key_id,
     c.person_id,
     c.email,
     c.org_status,
     c.ip_allow_list,
     c.required_dimensions,
     c.home_region,
     c.residency,
     c.read_rpm,
     c.on_unavailable,
     c.policies,
     c.session_digest,
     c.session_idle_seconds,
     c.session_last_used_at,
     c.session_expires_at,
     c.session_revoked_at,
     c.session_created_at,
     c.session_way,
     c.session_connection_id
    FROM (chosen f
      CROSS JOIN LATERAL public.caller_of_token(f.key_id) c(token_id, kind, org_id, id, lineage_id, role, scopes, pins, mac, mac_key_id, not_before, expires_at, revoked_at, grant_scope, operator_key_id, person_id, email, org_status, ip_allow_list, required_dimensions, home_region, residency, read_rpm, on_unavailable, policies, session_digest, session_idle_seconds, session_last_used_at, session_expires_at, session_revoked_at, session_created_at, session_way, session_connection_id))
   WHERE (( SELECT count(*) AS count
            FROM claims
           WHERE claims.is_live) <= 1);
END;

CREATE FUNCTION public.capture_org_row() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public'
    AS $$
declare
  org uuid;
  before jsonb;
  after jsonb;
begin
  if tg_op <> 'INSERT' then
    before := (select jsonb_object_agg(c, to_jsonb(old) -> c) from unnest(tg_argv[2:]) c);
    org := (to_jsonb(old) ->> tg_argv[1])::uuid;
  end if;
  if tg_op <> 'DELETE' then
    after := (select jsonb_object_agg(c, to_jsonb(new) -> c) from unnest(tg_argv[2:]) c);
    org := (to_jsonb(new) ->> tg_argv[1])::uuid;
  end if;
  insert into org_move_changes (moved_org, table_name, key, rows, digest)
  select org, tg_argv[0], coalesce(after, before), (after is not null)::int - (before is not null)::int,
         case when after is null then 0 else row_digest(new) end - case when before is null then 0 else row_digest(old) end;
  if before <> after then
    insert into org_move_changes (moved_org, table_name, key, rows, digest) values (org, tg_argv[0], before, 0, 0);
  end if;
  return null;
end
$$;

CREATE TABLE public.org_ledgers (
    org_id uuid NOT NULL,
    seq bigint DEFAULT 0 NOT NULL,
    config_version bigint DEFAULT 1 NOT NULL
)
WITH (fillfactor='50', autovacuum_vacuum_threshold='1000', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_cost_delay='0');

ALTER TABLE ONLY public.org_ledgers FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.change_every_configuration() RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 WITH locked AS MATERIALIZED (
          SELECT org_ledgers.org_id
            FROM public.org_ledgers
           WHERE ('00000000-0000-0000-0000-000000000000'::uuid = ANY (public.app_orgs()))
           ORDER BY org_ledgers.org_id
          FOR NO KEY UPDATE OF org_ledgers
         )
  UPDATE public.org_ledgers AS l SET config_version = (l.config_version + 1)
    FROM locked
   WHERE (l.org_id = locked.org_id);
END;

CREATE FUNCTION public.contest_claims(own uuid, numbers integer[], macs bytea[]) RETURNS TABLE(number integer, contest uuid, others uuid[])
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
begin
  perform pg_advisory_xact_lock(l.k)
     from (select distinct hashtextextended('foreign key ' || encode(m.mac, 'hex'), 0) as k from unnest(macs) as m (mac) order by 1) l;
  perform from foreign_keys f where f.mac = any (macs) and f.org_id <> own order by f.org_id, f.id for no key update;
  return query
    with claims as (
      select a.number, f.org_id, f.id, f.contest_id
        from unnest(numbers, macs) as a (number, mac) join foreign_keys f on f.mac = a.mac where f.org_id <> own
    ), contests as (
      select c.number, coalesce(min(c.contest_id::text)::uuid, gen_random_uuid()) as contest, array_agg(distinct c.org_id) as others
        from claims c group by c.number
    ), marked as (
      update foreign_keys f
         set contest_id = k.contest, held = f.held or (f.contested_at is null and f.uses > 0),
             contested_at = coalesce(f.contested_at, clock_timestamp()), updated_at = clock_timestamp()
        from claims c join contests k on k.number = c.number
       where f.org_id = c.org_id and f.id = c.id
    )
    select k.number, k.contest, k.others from contests k;
end $$;

CREATE TABLE public.access_changes (
    version bigint NOT NULL,
    changed_org uuid NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.access_epoch (
    singleton boolean DEFAULT true NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    CONSTRAINT access_epoch_singleton_check CHECK (singleton)
);

CREATE FUNCTION public.record_access_change(org uuid) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 WITH epoch AS (
          UPDATE public.access_epoch SET version = (access_epoch.version + 1)
           RETURNING access_epoch.version
         )
  INSERT INTO public.access_changes (version, changed_org)  SELECT epoch.version,
             record_access_change.org AS org
            FROM epoch
   RETURNING access_changes.version;
END;

CREATE FUNCTION public.contest_foreign_keys(own uuid, wanted bytea[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT public.record_access_change(others.org_id) AS record_access_change
    FROM ( SELECT DISTINCT f.org_id
            FROM public.foreign_keys f
           WHERE ((f.mac = ANY (contest_foreign_keys.wanted)) AND (f.org_id <> contest_foreign_keys.own))
           ORDER BY f.org_id) others;
END;

CREATE FUNCTION public.contested_foreign_keys(is_descending boolean, after_at timestamp with time zone, after_id uuid, most integer) RETURNS TABLE(org_id uuid, id uuid, contest_id uuid, held boolean, uses bigint, last_used_at timestamp with time zone, contested_at timestamp with time zone, created_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
( SELECT f.org_id,
     f.id,
     f.contest_id,
     f.held,
     f.uses,
     f.last_used_at,
     f.contested_at,
     f.created_at
    FROM public.foreign_keys f
   WHERE (contested_foreign_keys.is_descending AND (f.contested_at IS NOT NULL) AND (f.ended_at IS NULL) AND ((contested_foreign_keys.after_at IS NULL) OR (ROW(f.contested_at, f.id) < ROW(contested_foreign_keys.after_at, contested_foreign_keys.after_id))))
   ORDER BY f.contested_at DESC, f.id DESC
  LIMIT contested_foreign_keys.most)
 UNION ALL
 ( SELECT f.org_id,
     f.id,
     f.contest_id,
     f.held,
     f.uses,
     f.last_used_at,
     f.contested_at,
     f.created_at
    FROM public.foreign_keys f
   WHERE ((NOT contested_foreign_keys.is_descending) AND (f.contested_at IS NOT NULL) AND (f.ended_at IS NULL) AND ((contested_foreign_keys.after_at IS NULL) OR (ROW(f.contested_at, f.id) > ROW(contested_foreign_keys.after_at, contested_foreign_keys.after_id))))
   ORDER BY f.contested_at, f.id
  LIMIT contested_foreign_keys.most);
END;

CREATE TABLE public.recovery_codes (
    person_id uuid NOT NULL,
    digest bytea NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT recovery_codes_digest_check CHECK ((length(digest) = 32))
);

CREATE FUNCTION public.count_recovery_codes(of_person uuid) RETURNS integer
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT (count(*))::integer AS count
    FROM public.recovery_codes c
   WHERE (c.person_id = count_recovery_codes.of_person);
END;

CREATE FUNCTION public.create_partition(parent text, suffix text, lower_bound text, upper_bound text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public'
    AS $_$
declare
  target text := case parent when 'movements' then 'movement_rows' else parent end;
  name text := target || '_' || suffix;
begin
  if suffix !~ '^[0-9_]+$'
     or not exists (select from pg_class where oid = to_regclass(quote_ident(target)) and relkind = 'p' and relnamespace = 'public'::regnamespace) then
    raise exception 'not a partitioned table of this program: %', parent;
  end if;
  -- Processes that start together ask for the same partition: the second waits for the first, then finds it.
  perform pg_advisory_xact_lock(hashtext('create_partition'), hashtext(name));
  if to_regclass(name) is not null then return; end if;
  set local lock_timeout = '200ms';
  execute format('create table %I (like %I including defaults including constraints)', name, target);
  execute format('alter table %I enable row level security', name);
  execute format('alter table %I force row level security', name);
  if exists (select from pg_roles where rolname = 'weir_backup') then
    execute format('grant select on %I to weir_backup', name);
    execute format('create policy backup on %I for select to weir_backup using (true)', name);
  end if;
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', target, name, lower_bound, upper_bound);
end
$_$;

CREATE TABLE public.scim_tokens (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    digest bytea NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    minted_by_key uuid,
    minted_by_member uuid,
    CONSTRAINT scim_tokens_digest_check CHECK ((length(digest) = 32)),
    CONSTRAINT scim_tokens_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
    CONSTRAINT scim_tokens_org_id_check CHECK ((org_id <> '00000000-0000-0000-0000-000000000000'::uuid))
);

ALTER TABLE ONLY public.scim_tokens FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.directory_entry(wanted uuid) RETURNS TABLE(residency text, home_epoch bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT o.residency,
     o.home_epoch
    FROM public.orgs o
   WHERE (o.id = COALESCE(( SELECT k.org_id
            FROM public.api_keys k
           WHERE (k.id = directory_entry.wanted)), ( SELECT g.org_id
            FROM public.support_grants g
           WHERE (g.id = directory_entry.wanted)), ( SELECT s.org_id
            FROM public.sessions s
           WHERE (s.id = directory_entry.wanted)), ( SELECT t.org_id
            FROM public.scim_tokens t
           WHERE (t.id = directory_entry.wanted)), directory_entry.wanted));
END;

CREATE FUNCTION public.directory_of_token(wanted uuid) RETURNS TABLE(id uuid, org_id uuid, digest bytea, revoked_at timestamp with time zone, org_status text, ip_allow_list text[], required_dimensions text[], read_rpm integer, on_unavailable text, policies jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT t.id,
     t.org_id,
     t.digest,
     t.revoked_at,
     public.org_standing(o.id, o.status) AS org_standing,
     o.ip_allow_list,
     o.required_dimensions,
     r.read_rpm,
     r.on_unavailable,
     COALESCE(( SELECT jsonb_agg(jsonb_build_object('id', p.id, 'kind', p.kind, 'per', p.per, 'match', p.match, 'amount', p.amount, 'window_seconds', p.window_seconds) ORDER BY p.id) AS jsonb_agg
            FROM public.rate_limit_policies p
           WHERE (p.org_id = t.org_id)), '[]'::jsonb) AS "coalesce"
    FROM ((public.scim_tokens t
      JOIN public.orgs o ON ((o.id = t.org_id)))
      LEFT JOIN public.org_rate_limits r ON ((r.org_id = t.org_id)))
   WHERE (t.id = directory_of_token.wanted);
END;

CREATE FUNCTION public.discard_rows(org uuid, move uuid, from_table text, most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
begin
  if not exists (select from org_moves m where m.moved_org = org and m.move_id = move and m.direction = 'in' and m.state = 'discarded') then
    raise exception 'the arrival is not given up' using errcode = 'WE003';
  end if;
  return remove_org_rows(org, from_table, most);
end
$$;

CREATE TABLE public.session_policies (
    org_id uuid NOT NULL,
    idle_seconds integer,
    max_seconds integer,
    key_sign_in text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    sso text DEFAULT 'optional'::text NOT NULL,
    CONSTRAINT session_policies_idle_seconds_check CHECK ((idle_seconds > 0)),
    CONSTRAINT session_policies_key_sign_in_check CHECK ((key_sign_in = ANY (ARRAY['allow'::text, 'refuse'::text]))),
    CONSTRAINT session_policies_max_seconds_check CHECK ((max_seconds > 0)),
    CONSTRAINT session_policies_sso_check CHECK ((sso = ANY (ARRAY['optional'::text, 'required'::text])))
);

ALTER TABLE ONLY public.session_policies FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.doors_of_person(wanted uuid) RETURNS TABLE(member_id uuid, org_id uuid, org_name text, email text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT m.id,
     m.org_id,
     o.name,
     m.email
    FROM ((public.memberships m
      JOIN public.orgs o ON ((o.id = m.org_id)))
      LEFT JOIN public.session_policies s ON ((s.org_id = m.org_id)))
   WHERE ((m.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND (m.person_id = doors_of_person.wanted) AND (m.removed_at IS NULL) AND (m.deactivated_at IS NULL) AND (m.accepted_at IS NOT NULL) AND (o.status = 'active'::text) AND (COALESCE(s.sso, 'optional'::text) = 'optional'::text))
   ORDER BY o.name, m.org_id
  LIMIT 100;
END;

CREATE FUNCTION public.drop_partition(parent text, suffix text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public'
    AS $_$
declare
  kept integer := (select k.days from kept_days k where k.parent = drop_partition.parent);
begin
  if kept is null or suffix !~ '^[0-9]{8}$' then raise exception 'not a table whose days are dropped: %', parent; end if;
  if to_date(suffix, 'YYYYMMDD') > (clock_timestamp() at time zone 'UTC')::date - kept then
    raise exception '% of % is still needed', suffix, parent;
  end if;
  -- What is still held must be given back first: without its row nobody could.
  if parent = 'holds' and exists (
    select from holds where state = 'open' and tableoid = to_regclass(quote_ident('holds_' || suffix)) and org_id <> all ((select closed_orgs())::uuid[])
  ) then
    raise exception 'holds of % are still open', suffix;
  end if;
  if exists (select from org_moves m where m.state in ('copying', 'frozen', 'arriving', 'ready')) then return; end if;
  set local lock_timeout = '200ms';
  execute format('drop table if exists %I', parent || '_' || suffix);
end
$_$;

CREATE SEQUENCE public.event_order
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE public.outbox (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    body jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    subject text NOT NULL,
    seq bigint DEFAULT nextval('public.event_order'::regclass) NOT NULL
);

ALTER TABLE ONLY public.outbox FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.events_waiting() RETURNS TABLE(waiting bigint, oldest timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT count(*) AS count,
     min(w.created_at) AS min
    FROM ( SELECT o.created_at
            FROM public.outbox o
           WHERE (o.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[]))
           ORDER BY o.seq
          LIMIT 10000) w;
END;

CREATE TABLE public.holds (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    state text NOT NULL,
    on_expiry text NOT NULL,
    held_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    seq bigint NOT NULL,
    amount_nano bigint NOT NULL,
    keys uuid[] NOT NULL,
    amounts bigint[] NOT NULL,
    draws smallint[] NOT NULL,
    inputs json NOT NULL,
    ended_at timestamp with time zone,
    ended_seq bigint,
    charged_nano bigint,
    overrun_nano bigint,
    key_id uuid,
    grant_id uuid,
    lineage_id uuid,
    estimate json,
    CONSTRAINT holds_on_expiry_check CHECK ((on_expiry = ANY (ARRAY['release'::text, 'charge'::text]))),
    CONSTRAINT holds_state_check CHECK ((state = ANY (ARRAY['open'::text, 'settled'::text, 'released'::text, 'expired'::text])))
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY public.holds FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.expired_holds(before timestamp with time zone, most integer) RETURNS TABLE(org_id uuid, id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT h.org_id,
     h.id
    FROM public.holds h
   WHERE ((h.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND (h.state = 'open'::text) AND (h.expires_at < expired_holds.before))
   ORDER BY h.expires_at
  LIMIT expired_holds.most;
END;

CREATE FUNCTION public.fill_key_lineage() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if new.lineage_id is null then
    new.lineage_id := coalesce(
      (select k.lineage_id from api_keys k where k.org_id = new.org_id and k.id = new.rotated_from), new.id);
  end if;
  return new;
end
$$;

CREATE FUNCTION public.find_caller(wanted uuid) RETURNS TABLE(kind text, org_id uuid, id uuid, role text, scopes text[], pins jsonb, mac bytea, mac_key_id text, not_before timestamp with time zone, expires_at timestamp with time zone, revoked_at timestamp with time zone, grant_scope text, operator_key_id uuid, org_status text, ip_allow_list text[], required_dimensions text[], home_region text, residency text, read_rpm integer, on_unavailable text, policies jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 WITH caller AS (
          SELECT 'key'::text AS kind,
             k.org_id,
             k.id,
             k.role,
             k.scopes,
             k.pins,
             k.mac,
             k.mac_key_id,
             k.not_before,
             k.expires_at,
             k.revoked_at,
             NULL::text AS grant_scope,
             NULL::uuid AS operator_key_id
            FROM public.api_keys k
           WHERE (k.id = find_caller.wanted)
         UNION ALL
          SELECT 'support'::text AS text,
             g.org_id,
             g.id,
             'operator'::text AS text,
             '{}'::text[] AS text,
             '{}'::jsonb AS jsonb,
             g.mac,
             g.mac_key_id,
             NULL::timestamp with time zone AS timestamptz,
             g.expires_at,
             g.revoked_at,
             g.scope,
             g.operator_key_id
            FROM public.support_grants g
           WHERE (g.id = find_caller.wanted)
         )
  SELECT c.kind,
     c.org_id,
     c.id,
     c.role,
     c.scopes,
     c.pins,
     c.mac,
     c.mac_key_id,
     c.not_before,
     c.expires_at,
     c.revoked_at,
     c.grant_scope,
     c.operator_key_id,
     public.org_standing(o.id, o.status) AS org_standing,
     o.ip_allow_list,
     o.required_dimensions,
     o.home_region,
     o.residency,
     r.read_rpm,
     r.on_unavailable,
     COALESCE(( SELECT jsonb_agg(jsonb_build_object('id', p.id, 'kind', p.kind, 'per', p.per, 'match', p.match, 'amount', p.amount, 'window_seconds', p.window_seconds) ORDER BY p.id) AS jsonb_agg
            FROM public.rate_limit_policies p
           WHERE (p.org_id = c.org_id)), '[]'::jsonb) AS "coalesce"
    FROM ((caller c
      JOIN public.orgs o ON ((o.id = c.org_id)))
      LEFT JOIN public.org_rate_limits r ON ((r.org_id = c.org_id)));
END;

CREATE TABLE public.moved_ids (
    id uuid NOT NULL,
    moved_org uuid NOT NULL
);

CREATE FUNCTION public.find_home(wanted uuid) RETURNS TABLE(residency text, home_epoch bigint, elsewhere text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT COALESCE(o.residency, m.residency) AS "coalesce",
         CASE
             WHEN (m.state = ANY (ARRAY['moved'::text, 'done'::text, 'purged'::text])) THEN m.epoch
             ELSE COALESCE(o.home_epoch, (1)::bigint)
         END AS "coalesce",
         CASE
             WHEN (m.state = ANY (ARRAY['moved'::text, 'done'::text, 'purged'::text, 'arriving'::text, 'ready'::text, 'discarded'::text])) THEN m.cell
             ELSE NULL::text
         END AS "case"
    FROM ((( SELECT COALESCE(( SELECT k.org_id
                    FROM public.api_keys k
                   WHERE (k.id = find_home.wanted)), ( SELECT g.org_id
                    FROM public.support_grants g
                   WHERE (g.id = find_home.wanted)), ( SELECT s.org_id
                    FROM public.sessions s
                   WHERE (s.id = find_home.wanted)), ( SELECT t.org_id
                    FROM public.scim_tokens t
                   WHERE (t.id = find_home.wanted)), ( SELECT i.moved_org
                    FROM public.moved_ids i
                   WHERE (i.id = find_home.wanted)), find_home.wanted) AS org) w
      LEFT JOIN public.orgs o ON ((o.id = w.org)))
      LEFT JOIN public.org_moves m ON ((m.moved_org = w.org)))
   WHERE ((o.id IS NOT NULL) OR (m.state = ANY (ARRAY['moved'::text, 'done'::text, 'purged'::text])));
END;

CREATE FUNCTION public.gate_org_row() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public'
    AS $$
declare
  org uuid;
  m org_moves;
begin
  if tg_op = 'DELETE' then
    if tg_argv[0] = 'id' then org := old.id; else org := old.org_id; end if;
  else
    if tg_argv[0] = 'id' then org := new.id; else org := new.org_id; end if;
  end if;
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'rows of organizations are written in read committed transactions' using errcode = 'feature_not_supported';
  end if;
  perform pg_advisory_xact_lock_shared(1464158530, org_gate(org));
  select * into m from org_moves o where o.moved_org = org;
  if found and m.state not in ('copying', 'cancelled', 'active') and current_setting('app.move', true) is distinct from m.move_id::text then
    -- A function that writes rows of many organizations passes this one over.
    if current_user <> session_user then return null; end if;
    raise exception 'the organization is being moved' using errcode = 'WE002', detail = org::text;
  end if;
  perform set_config('app.open_orgs', concat(current_setting('app.open_orgs', true), ' ', org), true);
  if m.captures then perform set_config('app.captured_orgs', concat(current_setting('app.captured_orgs', true), ' ', org), true); end if;
  if tg_op = 'DELETE' then return old; end if;
  return new;
end
$$;

CREATE PROCEDURE public.gate_tenant_table(IN tenant_table regclass, IN org_column text DEFAULT 'org_id'::text)
    LANGUAGE plpgsql
    AS $_$
declare
  name text := (select relname from pg_class where oid = tenant_table);
  keys text := (
    select string_agg(quote_literal(a.attname), ', ' order by array_position(i.indkey::int2[], a.attnum))
      from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
     where i.indrelid = tenant_table and i.indisprimary);
begin
  if keys is null then raise exception '% has no primary key: its rows could not be moved', tenant_table; end if;
  execute format($f$create trigger gate_written before insert or update on %1$s for each row
    when (coalesce(strpos(current_setting('app.open_orgs', true), new.%2$I::text), 0) = 0) execute function gate_org_row(%2$L)$f$, tenant_table, org_column);
  execute format($f$create trigger gate_deleted before delete on %1$s for each row
    when (coalesce(strpos(current_setting('app.open_orgs', true), old.%2$I::text), 0) = 0) execute function gate_org_row(%2$L)$f$, tenant_table, org_column);
  execute format($f$create trigger capture_written after insert or update on %1$s for each row
    when (coalesce(strpos(current_setting('app.captured_orgs', true), new.%2$I::text), 0) > 0) execute function capture_org_row(%3$L, %2$L, %4$s)$f$,
    tenant_table, org_column, name, keys);
  execute format($f$create trigger capture_deleted after delete on %1$s for each row
    when (coalesce(strpos(current_setting('app.captured_orgs', true), old.%2$I::text), 0) > 0) execute function capture_org_row(%3$L, %2$L, %4$s)$f$,
    tenant_table, org_column, name, keys);
end
$_$;

CREATE PROCEDURE public.gate_tenant_tables()
    LANGUAGE plpgsql
    AS $$
declare
  tenant_table regclass;
begin
  for tenant_table in
    select c.oid from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and not exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'gate_written')
     order by c.relname
  loop
    call gate_tenant_table(tenant_table);
  end loop;
  if not organizations_are_gated() then call gate_tenant_table('orgs', 'id'); end if;
end
$$;

CREATE TABLE public.sso_domains (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    domain text NOT NULL,
    description text NOT NULL,
    token text NOT NULL,
    connection_id uuid,
    verified_at timestamp with time zone,
    checked_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    missed_days integer DEFAULT 0 NOT NULL,
    missed_at timestamp with time zone,
    CONSTRAINT sso_domains_domain_check CHECK ((domain = lower(domain))),
    CONSTRAINT sso_domains_missed_days_check CHECK ((missed_days >= 0))
);

ALTER TABLE ONLY public.sso_domains FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.holder_of_domain(wanted text) RETURNS TABLE(org_id uuid, id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT d.org_id,
     d.id
    FROM public.sso_domains d
   WHERE ((d.domain = holder_of_domain.wanted) AND (d.verified_at IS NOT NULL));
END;

CREATE FUNCTION public.insert_movement_row() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public'
    AS $$
begin
  insert into movement_rows (org_id, seq, idx, at, kind, hold_id, keys, d_spent, d_held, d_overrun, d_late, actor, reason, key_id, grant_id)
  values (new.*);
  return new;
end
$$;

CREATE TABLE public.prices (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    model text NOT NULL,
    provider text DEFAULT ''::text NOT NULL,
    input_pico bigint NOT NULL,
    output_pico bigint NOT NULL,
    cache_read_pico bigint NOT NULL,
    cache_write_pico bigint NOT NULL,
    max_output_tokens integer,
    effective_from timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    detail json,
    CONSTRAINT prices_cache_read_pico_check CHECK ((cache_read_pico >= 0)),
    CONSTRAINT prices_cache_write_pico_check CHECK ((cache_write_pico >= 0)),
    CONSTRAINT prices_input_pico_check CHECK ((input_pico >= 0)),
    CONSTRAINT prices_max_output_tokens_check CHECK ((max_output_tokens > 0)),
    CONSTRAINT prices_output_pico_check CHECK ((output_pico >= 0))
);

ALTER TABLE ONLY public.prices FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.installation_prices() RETURNS SETOF public.prices
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT prices.org_id,
     prices.id,
     prices.model,
     prices.provider,
     prices.input_pico,
     prices.output_pico,
     prices.cache_read_pico,
     prices.cache_write_pico,
     prices.max_output_tokens,
     prices.effective_from,
     prices.created_at,
     prices.detail
    FROM public.prices
   WHERE (prices.org_id = '00000000-0000-0000-0000-000000000000'::uuid);
END;

CREATE TABLE public.price_settings (
    org_id uuid NOT NULL,
    min_hold_nano bigint NOT NULL,
    unpriced_ceiling_nano bigint,
    default_max_output_tokens integer NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    unpriced text DEFAULT 'refuse'::text NOT NULL,
    CONSTRAINT price_settings_default_max_output_tokens_check CHECK ((default_max_output_tokens > 0)),
    CONSTRAINT price_settings_min_hold_nano_check CHECK ((min_hold_nano >= 0)),
    CONSTRAINT price_settings_unpriced_ceiling_nano_check CHECK ((unpriced_ceiling_nano > 0)),
    CONSTRAINT price_settings_unpriced_check CHECK ((unpriced = ANY (ARRAY['refuse'::text, 'ceiling'::text, 'estimate'::text])))
);

ALTER TABLE ONLY public.price_settings FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.installation_prices_version() RETURNS timestamp with time zone
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT price_settings.updated_at
    FROM public.price_settings
   WHERE (price_settings.org_id = '00000000-0000-0000-0000-000000000000'::uuid);
END;

CREATE FUNCTION public.keep_usage_hour_values() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public'
    AS $_$
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
$_$;

CREATE FUNCTION public.keep_usage_hours() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public'
    AS $_$
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
$_$;

CREATE TABLE public.ledger_checks (
    org_id uuid NOT NULL,
    seq bigint NOT NULL,
    checked_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY public.ledger_checks FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.ledgers_to_check(after uuid, most integer, even_if_checked boolean) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT l.org_id
    FROM (public.org_ledgers l
      LEFT JOIN public.ledger_checks c ON ((c.org_id = l.org_id)))
   WHERE ((l.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND (l.org_id > ledgers_to_check.after) AND (ledgers_to_check.even_if_checked OR (l.seq > COALESCE(c.seq, (0)::bigint))))
   ORDER BY l.org_id
  LIMIT ledgers_to_check.most;
END;

CREATE FUNCTION public.sealed_with(sealed bytea) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN convert_from(SUBSTRING(sealed FROM 2 FOR get_byte(sealed, 0)), 'UTF8'::name);

CREATE TABLE public.audit_keys (
    key_id text NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.slack_apps (
    org_id uuid NOT NULL,
    channel text NOT NULL,
    enabled boolean NOT NULL,
    sealed_signing_secret bytea NOT NULL,
    signing_secret_set_at timestamp with time zone NOT NULL,
    keepers text[] NOT NULL,
    sealed_bot_token bytea NOT NULL,
    bot_token_set_at timestamp with time zone NOT NULL,
    fault text,
    due_at timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
    leased_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    leased_by uuid,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY public.slack_apps FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sso_connections (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    enabled boolean NOT NULL,
    jit boolean NOT NULL,
    role_rules jsonb NOT NULL,
    default_role text,
    settings jsonb NOT NULL,
    sealed_secret bytea,
    secret_set_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT sso_connections_check CHECK (((sealed_secret IS NULL) = (secret_set_at IS NULL))),
    CONSTRAINT sso_connections_default_role_check CHECK ((default_role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text, 'viewer'::text]))),
    CONSTRAINT sso_connections_kind_check CHECK ((kind = ANY (ARRAY['oidc'::text, 'saml'::text])))
);

ALTER TABLE ONLY public.sso_connections FORCE ROW LEVEL SECURITY;

CREATE TABLE public.webhook_org_secrets (
    org_id uuid NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    rotated_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.webhook_org_secrets FORCE ROW LEVEL SECURITY;

CREATE TABLE public.webhook_subscriptions (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    url text NOT NULL,
    description text NOT NULL,
    events text[] NOT NULL,
    ordered boolean NOT NULL,
    enabled boolean NOT NULL,
    disabled_reason text,
    disabled_at timestamp with time zone,
    generation integer DEFAULT 0 NOT NULL,
    sealed bytea,
    rotated_at timestamp with time zone,
    sealed_previous bytea,
    previous_until timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    created_by_grant uuid,
    ends_at timestamp with time zone,
    destination jsonb,
    destination_sealed bytea,
    CONSTRAINT webhook_subscriptions_check CHECK ((enabled = (disabled_reason IS NULL))),
    CONSTRAINT webhook_subscriptions_check1 CHECK (((generation = 0) = (sealed IS NULL))),
    CONSTRAINT webhook_subscriptions_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['requested'::text, 'gone'::text, 'failing'::text, 'grant_ended'::text])))
);

ALTER TABLE ONLY public.webhook_subscriptions FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.master_key_uses(newest text, older text[]) RETURNS TABLE(kind text, key_id text, uses bigint, never_used bigint, last_used_at timestamp with time zone)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT 'api_keys'::text,
     k.mac_key_id,
     count(*) AS count,
     count(*) FILTER (WHERE (k.last_used_at IS NULL)) AS count,
     max(k.last_used_at) AS max
    FROM public.api_keys k
   WHERE ((k.revoked_at IS NULL) AND ((k.expires_at IS NULL) OR (k.expires_at > clock_timestamp())))
   GROUP BY k.mac_key_id
 UNION ALL
  SELECT 'support_grants'::text,
     g.mac_key_id,
     count(*) AS count,
     NULL::bigint,
     NULL::timestamp with time zone
    FROM public.support_grants g
   WHERE ((g.revoked_at IS NULL) AND (g.expires_at > clock_timestamp()))
   GROUP BY g.mac_key_id
 UNION ALL
  SELECT 'webhook_secrets'::text,
     public.sealed_with(s.sealed) AS sealed_with,
     count(*) AS count,
     NULL::bigint,
     NULL::timestamp with time zone
    FROM ( SELECT o.sealed
            FROM public.webhook_org_secrets o
         UNION ALL
          SELECT w.sealed
            FROM public.webhook_subscriptions w
           WHERE (w.sealed IS NOT NULL)
         UNION ALL
          SELECT w.destination_sealed
            FROM public.webhook_subscriptions w
           WHERE (w.destination_sealed IS NOT NULL)
         UNION ALL
          SELECT w.sealed_previous
            FROM public.webhook_subscriptions w
           WHERE ((w.sealed_previous IS NOT NULL) AND (w.previous_until > clock_timestamp()))) s
   GROUP BY (public.sealed_with(s.sealed))
 UNION ALL
  SELECT 'sso_secrets'::text,
     public.sealed_with(c.sealed_secret) AS sealed_with,
     count(*) AS count,
     NULL::bigint,
     NULL::timestamp with time zone
    FROM public.sso_connections c
   WHERE (c.sealed_secret IS NOT NULL)
   GROUP BY (public.sealed_with(c.sealed_secret))
 UNION ALL
  SELECT 'slack_secrets'::text,
     public.sealed_with(a.sealed) AS sealed_with,
     count(*) AS count,
     NULL::bigint,
     NULL::timestamp with time zone
    FROM ( SELECT p.sealed_signing_secret AS sealed
            FROM public.slack_apps p
         UNION ALL
          SELECT p.sealed_bot_token
            FROM public.slack_apps p) a
   GROUP BY (public.sealed_with(a.sealed))
 UNION ALL
  SELECT 'audit_chains'::text,
     k.id,
     count(*) AS count,
     NULL::bigint,
     NULL::timestamp with time zone
    FROM (public.audit_heads h
      CROSS JOIN LATERAL ( SELECT h.mac_key_id AS id
         UNION
          SELECT o.id
            FROM unnest(master_key_uses.older) o(id)
           WHERE ((h.mac_key_id <> master_key_uses.newest) OR (h.handed_over_to IS DISTINCT FROM master_key_uses.newest))) k)
   WHERE (h.seq > 0)
   GROUP BY k.id
 UNION ALL
  SELECT 'audit_keys'::text,
     public.sealed_with(a.sealed) AS sealed_with,
     count(*) AS count,
     NULL::bigint,
     NULL::timestamp with time zone
    FROM public.audit_keys a
   GROUP BY (public.sealed_with(a.sealed));
END;

CREATE FUNCTION public.org_gate(org uuid) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (hashtext((org)::text) & 255);

CREATE FUNCTION public.org_of_sso_connection(wanted uuid) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT c.org_id
    FROM public.sso_connections c
   WHERE ((c.id = org_of_sso_connection.wanted) AND c.enabled);
END;

CREATE FUNCTION public.organizations_are_gated() RETURNS boolean
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT (EXISTS ( SELECT
            FROM pg_trigger t
           WHERE ((t.tgrelid = ('public.orgs'::regclass)::oid) AND (t.tgname = 'gate_written'::name)))) AS "exists";
END;

CREATE TABLE public.deprecation_announcements (
    org_id uuid NOT NULL,
    deprecation_id text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.deprecation_announcements FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.orgs_to_tell(announcements text[], since timestamp with time zone[], after uuid, most integer) RETURNS TABLE(org_id uuid, deprecation_ids text[])
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT s.org_id,
     array_agg(DISTINCT d.id) AS array_agg
    FROM (UNNEST(orgs_to_tell.announcements, orgs_to_tell.since) d(id, since)
      JOIN public.webhook_subscriptions s ON ((s.enabled AND (s.created_at < d.since))))
   WHERE ((s.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND (s.org_id > orgs_to_tell.after) AND (NOT (EXISTS ( SELECT
            FROM public.deprecation_announcements a
           WHERE ((a.org_id = s.org_id) AND (a.deprecation_id = d.id))))))
   GROUP BY s.org_id
   ORDER BY s.org_id
  LIMIT orgs_to_tell.most;
END;

CREATE TABLE public.webhook_digests (
    org_id uuid NOT NULL,
    subscription_id uuid NOT NULL,
    topic text NOT NULL,
    event_id uuid NOT NULL,
    kind text NOT NULL,
    event_count bigint DEFAULT 0 NOT NULL,
    since timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    closes_at timestamp with time zone NOT NULL,
    lasts_until timestamp with time zone
);

ALTER TABLE ONLY public.webhook_digests FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.orgs_with_closing_digests(most integer) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT DISTINCT d.org_id
    FROM ( SELECT w.org_id
            FROM public.webhook_digests w
           WHERE ((w.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND (w.closes_at <= clock_timestamp()))
           ORDER BY w.closes_at
          LIMIT orgs_with_closing_digests.most) d;
END;

CREATE FUNCTION public.orgs_with_closing_digests(after uuid, most integer) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 WITH RECURSIVE counting(org_id) AS (
          SELECT ( SELECT d.org_id
                    FROM public.webhook_digests d
                   WHERE (d.org_id > orgs_with_closing_digests.after)
                   ORDER BY d.org_id, d.closes_at
                  LIMIT 1) AS org_id
           WHERE (EXISTS ( SELECT
                    FROM public.webhook_digests d
                   WHERE (d.closes_at <= clock_timestamp())))
         UNION ALL
          SELECT ( SELECT d.org_id
                    FROM public.webhook_digests d
                   WHERE (d.org_id > one_1.org_id)
                   ORDER BY d.org_id, d.closes_at
                  LIMIT 1) AS org_id
            FROM counting one_1
           WHERE (one_1.org_id IS NOT NULL)
         )
  SELECT one.org_id
    FROM counting one
   WHERE ((one.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND (one.org_id IS NOT NULL) AND (EXISTS ( SELECT
            FROM public.webhook_digests d
           WHERE ((d.org_id = one.org_id) AND (d.closes_at <= clock_timestamp())))))
  LIMIT orgs_with_closing_digests.most;
END;

CREATE TABLE public.mail_addresses (
    org_id uuid NOT NULL,
    address text NOT NULL,
    due_at timestamp with time zone,
    code_digest bytea,
    mails integer DEFAULT 0 NOT NULL,
    mailed_at timestamp with time zone,
    confirmed_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT mail_addresses_code_digest_check CHECK ((length(code_digest) = 32)),
    CONSTRAINT mail_addresses_mails_check CHECK ((mails >= 0))
);

ALTER TABLE ONLY public.mail_addresses FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.orgs_with_due_mail_codes(most integer) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT DISTINCT d.org_id
    FROM ( SELECT m.org_id
            FROM public.mail_addresses m
           WHERE ((m.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND (m.due_at <= clock_timestamp()))
           ORDER BY m.due_at
          LIMIT orgs_with_due_mail_codes.most) d;
END;

CREATE TABLE public.telemetry_points (
    org_id uuid NOT NULL,
    lineage_id uuid NOT NULL,
    point bytea NOT NULL,
    session bytea NOT NULL,
    kind text NOT NULL,
    call json NOT NULL,
    value bigint NOT NULL,
    counted bigint DEFAULT 0 NOT NULL,
    counting bigint,
    claim uuid,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone NOT NULL,
    touched_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT telemetry_points_kind_check CHECK ((kind = ANY (ARRAY['input'::text, 'output'::text, 'cache_read'::text, 'cache_creation'::text, 'cost'::text]))),
    CONSTRAINT telemetry_points_value_check CHECK ((value >= 0))
);

ALTER TABLE ONLY public.telemetry_points FORCE ROW LEVEL SECURITY;

CREATE TABLE public.waiting_calls (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    due_at timestamp with time zone NOT NULL,
    call json NOT NULL,
    reported_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    failures smallint DEFAULT 0 NOT NULL
);

ALTER TABLE ONLY public.waiting_calls FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.orgs_with_due_telemetry(quiet_since timestamp with time zone, most integer) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT DISTINCT due.org_id
    FROM (( SELECT w.org_id
            FROM public.waiting_calls w
           WHERE ((w.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND (w.due_at < clock_timestamp()))
           ORDER BY w.due_at
          LIMIT orgs_with_due_telemetry.most)
         UNION ALL
         ( SELECT p.org_id
            FROM public.telemetry_points p
           WHERE ((p.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND (p.counted < p.value) AND (p.touched_at < orgs_with_due_telemetry.quiet_since))
           ORDER BY p.touched_at
          LIMIT orgs_with_due_telemetry.most)) due;
END;

CREATE FUNCTION public.orgs_with_due_telemetry(quiet_since timestamp with time zone, after uuid, most integer) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 WITH RECURSIVE waiting(org_id) AS (
          SELECT LEAST(( SELECT w.org_id
                    FROM public.waiting_calls w
                   WHERE (w.org_id > orgs_with_due_telemetry.after)
                   ORDER BY w.org_id, w.due_at
                  LIMIT 1), ( SELECT p.org_id
                    FROM public.telemetry_points p
                   WHERE ((p.org_id > orgs_with_due_telemetry.after) AND (p.counted < p.value))
                   ORDER BY p.org_id, p.touched_at
                  LIMIT 1)) AS "least"
         UNION ALL
          SELECT LEAST(( SELECT w.org_id
                    FROM public.waiting_calls w
                   WHERE (w.org_id > one_1.org_id)
                   ORDER BY w.org_id, w.due_at
                  LIMIT 1), ( SELECT p.org_id
                    FROM public.telemetry_points p
                   WHERE ((p.org_id > one_1.org_id) AND (p.counted < p.value))
                   ORDER BY p.org_id, p.touched_at
                  LIMIT 1)) AS "least"
            FROM waiting one_1
           WHERE (one_1.org_id IS NOT NULL)
         )
  SELECT one.org_id
    FROM waiting one
   WHERE ((one.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND (one.org_id IS NOT NULL) AND ((EXISTS ( SELECT
            FROM public.waiting_calls w
           WHERE ((w.org_id = one.org_id) AND (w.due_at < clock_timestamp())))) OR (EXISTS ( SELECT
            FROM public.telemetry_points p
           WHERE ((p.org_id = one.org_id) AND (p.counted < p.value) AND (p.touched_at < orgs_with_due_telemetry.quiet_since))))))
  LIMIT orgs_with_due_telemetry.most;
END;

CREATE FUNCTION public.orgs_with_old_usage(before timestamp with time zone, after uuid, most integer) RETURNS TABLE(org_id uuid, is_old boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
begin
  org_id := after;
  for i in 1..most loop
    select u.org_id into org_id from usage_15m u where u.org_id > orgs_with_old_usage.org_id and u.org_id <> all ((select closed_orgs())::uuid[]) order by u.org_id limit 1;
    exit when org_id is null;
    is_old := exists (select from usage_15m u where u.org_id = orgs_with_old_usage.org_id and u.bucket < before);
    return next;
  end loop;
end
$$;

CREATE FUNCTION public.orgs_with_overdue_approvals(most integer) RETURNS TABLE(org_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT DISTINCT o.org_id
    FROM ( SELECT a.org_id
            FROM public.approvals a
           WHERE ((a.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND (a.status = ANY (ARRAY['pending'::text, 'approved'::text])) AND (a.expires_at <= now()))
           ORDER BY a.expires_at
          LIMIT orgs_with_overdue_approvals.most) o;
END;

CREATE TABLE public.routes (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    definition jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY public.routes FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.orgs_with_routes(after uuid, most integer) RETURNS TABLE(org_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT DISTINCT r.org_id
    FROM public.routes r
   WHERE ((r.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND (r.org_id > orgs_with_routes.after))
   ORDER BY r.org_id
  LIMIT orgs_with_routes.most;
END;

CREATE TABLE public.key_reporting (
    org_id uuid NOT NULL,
    day date NOT NULL,
    lineage_id uuid NOT NULL,
    unreported_runs bigint NOT NULL,
    unreported_nano numeric NOT NULL,
    released_runs bigint NOT NULL,
    released_nano numeric NOT NULL,
    overrun_runs bigint NOT NULL,
    overrun_nano numeric NOT NULL,
    late_runs bigint NOT NULL,
    late_nano numeric NOT NULL,
    dearest_nano bigint NOT NULL,
    floor_nano bigint,
    told_unreported boolean DEFAULT false NOT NULL
);

ALTER TABLE ONLY public.key_reporting FORCE ROW LEVEL SECURITY;

CREATE TABLE public.trust_settings (
    org_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    reported_cost text NOT NULL,
    min_lease_seconds integer NOT NULL,
    release text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    reported_usage text DEFAULT 'accept'::text NOT NULL,
    edge_expiry text DEFAULT 'release'::text NOT NULL,
    over_limit_reports text DEFAULT 'refuse'::text NOT NULL,
    max_overrun_nano bigint,
    start_only boolean DEFAULT false NOT NULL,
    input_required boolean DEFAULT false NOT NULL,
    action_required boolean DEFAULT false NOT NULL,
    CONSTRAINT trust_settings_edge_expiry_check CHECK ((edge_expiry = ANY (ARRAY['release'::text, 'charge'::text]))),
    CONSTRAINT trust_settings_max_overrun_nano_check CHECK ((max_overrun_nano >= 0)),
    CONSTRAINT trust_settings_min_lease_seconds_check CHECK (((min_lease_seconds >= 1) AND (min_lease_seconds <= 86400))),
    CONSTRAINT trust_settings_over_limit_reports_check CHECK ((over_limit_reports = ANY (ARRAY['refuse'::text, 'book'::text]))),
    CONSTRAINT trust_settings_release_check CHECK ((release = ANY (ARRAY['allow'::text, 'refuse'::text]))),
    CONSTRAINT trust_settings_reported_cost_check CHECK ((reported_cost = ANY (ARRAY['accept'::text, 'raise_only'::text, 'ignore'::text]))),
    CONSTRAINT trust_settings_reported_usage_check CHECK ((reported_usage = ANY (ARRAY['accept'::text, 'raise_only'::text])))
);

ALTER TABLE ONLY public.trust_settings FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.orgs_with_unwatched_reporting(most integer) RETURNS TABLE(org_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT DISTINCT r.org_id
    FROM public.key_reporting r
   WHERE ((r.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND (r.day >= (((clock_timestamp() AT TIME ZONE 'UTC'::text))::date - 1)) AND (((r.unreported_runs > 0) AND (NOT r.told_unreported)) OR (((r.floor_nano IS NULL) OR (r.floor_nano < r.dearest_nano)) AND (EXISTS ( SELECT
            FROM public.trust_settings t
           WHERE ((t.org_id = r.org_id) AND (t.subject_id = ANY (ARRAY[r.org_id, r.lineage_id])) AND ((r.overrun_nano + r.late_nano) > (t.max_overrun_nano)::numeric)))))))
  LIMIT orgs_with_unwatched_reporting.most;
END;

CREATE FUNCTION public.orgs_with_usage_deltas(after uuid, most integer) RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
declare
  found_org uuid := after;
begin
  for i in 1..most loop
    select d.org_id into found_org from usage_deltas d where d.org_id > found_org and d.org_id <> all ((select closed_orgs())::uuid[]) order by d.org_id limit 1;
    exit when found_org is null;
    return next found_org;
  end loop;
end
$$;

CREATE TABLE public.sign_in_links (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    key_id uuid,
    grant_id uuid,
    digest bytea NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    member_id uuid,
    CONSTRAINT sign_in_links_check CHECK ((num_nonnulls(key_id, grant_id, member_id) = 1)),
    CONSTRAINT sign_in_links_digest_check CHECK ((length(digest) = 32))
);

ALTER TABLE ONLY public.sign_in_links FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.owner_of_sign_in_link(wanted uuid, wanted_digest bytea) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT COALESCE(sign_in_links.key_id, sign_in_links.grant_id, sign_in_links.member_id) AS "coalesce"
    FROM public.sign_in_links
   WHERE ((sign_in_links.id = owner_of_sign_in_link.wanted) AND (sign_in_links.digest = owner_of_sign_in_link.wanted_digest) AND (sign_in_links.expires_at > clock_timestamp()));
END;

CREATE FUNCTION public.passkey_by_credential(wanted bytea) RETURNS SETOF public.passkeys
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT p.id,
     p.person_id,
     p.credential_id,
     p.public_key,
     p.counter,
     p.is_backup_eligible,
     p.is_backed_up,
     p.name,
     p.created_at,
     p.last_used_at
    FROM public.passkeys p
   WHERE (p.credential_id = passkey_by_credential.wanted);
END;

CREATE FUNCTION public.passkeys_of_person(wanted uuid) RETURNS SETOF public.passkeys
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT p.id,
     p.person_id,
     p.credential_id,
     p.public_key,
     p.counter,
     p.is_backup_eligible,
     p.is_backed_up,
     p.name,
     p.created_at,
     p.last_used_at
    FROM public.passkeys p
   WHERE (p.person_id = passkeys_of_person.wanted)
   ORDER BY p.created_at, p.id;
END;

CREATE PROCEDURE public.protect_tenant_table(IN tenant_table regclass)
    LANGUAGE plpgsql
    AS $$
begin
  execute format('alter table %s enable row level security', tenant_table);
  execute format('alter table %s force row level security', tenant_table);
  execute format(
    'create policy tenant on %s using (org_id = any ((select app_orgs())::uuid[])) with check (org_id = any ((select app_orgs())::uuid[]))',
    tenant_table
  );
  if organizations_are_gated() then call gate_tenant_table(tenant_table); end if;
end
$$;

CREATE FUNCTION public.proved_domains(later_than text, most integer) RETURNS TABLE(org_id uuid, id uuid, domain text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT d.org_id,
     d.id,
     d.domain
    FROM public.sso_domains d
   WHERE ((d.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND (d.verified_at IS NOT NULL) AND (d.domain > proved_domains.later_than))
   ORDER BY d.domain
  LIMIT proved_domains.most;
END;

CREATE FUNCTION public.prune_allowances(after_org uuid, after_key uuid, most integer, OUT gone bigint, OUT last_org uuid, OUT last_key uuid) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
declare
  locked uuid[];
begin
  gone := 0;
  select l.org_id, l.key into last_org, last_key from (
    select a.org_id, a.key from allowances a where (a.org_id, a.key) > (after_org, after_key)
     order by a.org_id, a.key limit most) l order by l.org_id desc, l.key desc limit 1;
  if last_org is null then return; end if;
  select array_agg(o.org_id) into locked from (
    select l.org_id from org_ledgers l where l.org_id in (
      select a.org_id from allowances a
       where (a.org_id, a.key) > (after_org, after_key) and (a.org_id, a.key) <= (last_org, last_key) and allowance_is_over(a))
     order by l.org_id for no key update skip locked) o;
  if locked is null then return; end if;
  delete from allowances a
   where (a.org_id, a.key) > (after_org, after_key) and (a.org_id, a.key) <= (last_org, last_key) and a.org_id = any (locked)
     and a.held = 0 and allowance_is_over(a)
     and not exists (select from ledger_batches b where b.org_id = a.org_id and b.seq = a.last_seq);
  get diagnostics gone = row_count;
end
$$;

CREATE TABLE public.chains (
    org_id uuid NOT NULL,
    chain_id text NOT NULL COLLATE pg_catalog."C",
    root_run_id uuid NOT NULL,
    max_cost_nano bigint,
    max_tokens bigint,
    max_depth integer,
    cost_key uuid NOT NULL,
    tokens_key uuid NOT NULL,
    last_used_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT chains_max_cost_nano_check CHECK ((max_cost_nano >= 0)),
    CONSTRAINT chains_max_depth_check CHECK ((max_depth > 0)),
    CONSTRAINT chains_max_tokens_check CHECK ((max_tokens >= 0))
)
WITH (fillfactor='70');

ALTER TABLE ONLY public.chains FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.prune_chains(after_org uuid, after_chain text, most integer) RETURNS TABLE(gone bigint, org_id uuid, chain_id text)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 WITH looked_at AS MATERIALIZED (
          SELECT c.org_id,
             c.chain_id,
             c.last_used_at
            FROM public.chains c
           WHERE (ROW(c.org_id, c.chain_id) > ROW(prune_chains.after_org, (prune_chains.after_chain COLLATE "C")))
           ORDER BY c.org_id, c.chain_id
          LIMIT prune_chains.most
         ), last AS (
          SELECT l.org_id,
             l.chain_id
            FROM looked_at l
           ORDER BY l.org_id DESC, l.chain_id DESC
          LIMIT 1
         ), locked AS MATERIALIZED (
          SELECT o.org_id
            FROM public.org_ledgers o
           WHERE (o.org_id IN ( SELECT l.org_id
                    FROM looked_at l
                   WHERE (l.last_used_at < (clock_timestamp() - '45 days'::interval))))
          FOR NO KEY UPDATE OF o SKIP LOCKED
         ), gone AS (
          DELETE FROM public.chains AS c
            USING looked_at l,
             locked o
           WHERE ((l.org_id = o.org_id) AND (c.org_id = l.org_id) AND (c.chain_id = l.chain_id) AND (c.last_used_at < (clock_timestamp() - '45 days'::interval)))
           RETURNING c.org_id,
             c.cost_key,
             c.tokens_key
         ), uncounted AS (
          DELETE FROM public.allowances AS a
            USING gone g
           WHERE ((a.org_id = g.org_id) AND ((a.key = g.cost_key) OR (a.key = g.tokens_key)) AND (a.held = 0))
         )
  SELECT ( SELECT count(*) AS count
            FROM gone) AS count,
     ( SELECT last.org_id
            FROM last) AS org_id,
     ( SELECT last.chain_id
            FROM last) AS chain_id;
END;

CREATE FUNCTION public.prune_rows(parent text, most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
declare
  rule text := (select p.is_over from pruned_rows p where p.parent = prune_rows.parent);
  gone bigint;
begin
  if rule is null then raise exception 'not a table whose rows are pruned: %', parent; end if;
  if exists (select from pg_attribute a where a.attrelid = to_regclass(quote_ident(parent)) and a.attname = 'org_id') then
    rule := format('t.org_id <> all ((select closed_orgs())::uuid[]) and (%s)', rule);
  end if;
  execute format(
    'delete from %I t where t.ctid = any (array(select t.ctid from %I t where %s limit %s for update skip locked))',
    parent, parent, rule, most
  );
  get diagnostics gone = row_count;
  return gone;
end
$$;

CREATE TABLE public.run_keys (
    org_id uuid NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    content_hash bytea,
    seen_on date NOT NULL
)
PARTITION BY HASH (org_id, key);

ALTER TABLE ONLY public.run_keys FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.prune_run_keys(most integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 WITH old AS (
          SELECT k.org_id,
             k.key
            FROM public.run_keys k
           WHERE ((k.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND (k.seen_on < (((clock_timestamp() AT TIME ZONE 'UTC'::text))::date - 91)))
          LIMIT prune_run_keys.most
          FOR UPDATE OF k SKIP LOCKED
         ), gone AS (
          DELETE FROM public.run_keys AS k
            USING old
           WHERE ((k.org_id = old.org_id) AND (k.key = old.key))
           RETURNING 1 AS "?column?"
         )
  SELECT count(*) AS count
    FROM gone;
END;

CREATE FUNCTION public.refuse_ungated_move() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'organizations cannot move: their tables have no gate' using errcode = 'WE004', hint = 'Run migrate with SVC_CELLS.';
end
$$;

CREATE FUNCTION public.rehash_callers(ids uuid[], old_key_ids text[], macs bytea[], new_key_id text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 UPDATE public.api_keys AS k SET mac = r.mac, mac_key_id = rehash_callers.new_key_id
    FROM UNNEST(rehash_callers.ids, rehash_callers.old_key_ids, rehash_callers.macs) r(id, old_key_id, mac)
   WHERE ((k.id = r.id) AND (k.mac_key_id = r.old_key_id));
 UPDATE public.support_grants AS g SET mac = r.mac, mac_key_id = rehash_callers.new_key_id
    FROM UNNEST(rehash_callers.ids, rehash_callers.old_key_ids, rehash_callers.macs) r(id, old_key_id, mac)
   WHERE ((g.id = r.id) AND (g.mac_key_id = r.old_key_id));
END;

CREATE FUNCTION public.remove_org_rows(org uuid, from_table text, most integer) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'public'
    AS $_$
declare
  rel regclass := to_regclass(quote_ident(from_table));
  org_column text := case from_table when 'orgs' then 'id' else 'org_id' end;
  keys text;
  removed bigint;
begin
  if rel is null or not exists (select from pg_trigger t where t.tgrelid = rel and t.tgname = 'gate_written') then
    raise exception 'not a table of organizations: %', from_table using errcode = 'WE003';
  end if;
  select string_agg(quote_ident(a.attname), ', ') into keys
    from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey) where i.indrelid = rel and i.indisprimary;
  perform set_config('app.orgs', org::text, true);
  perform set_config('app.move', (select m.move_id::text from org_moves m where m.moved_org = org), true);
  execute format('delete from %s where %I = $1 and (%s) in (select %3$s from %1$s where %2$I = $1 limit $2)', rel, org_column, keys)
    using org, most;
  get diagnostics removed = row_count;
  perform set_config('app.move', '', true);
  return removed;
end
$_$;

CREATE FUNCTION public.remove_passkey(of_person uuid, wanted uuid) RETURNS SETOF public.passkeys
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
begin
  perform pg_advisory_xact_lock(hashtextextended('passkeys ' || of_person, 0));
  return query
    delete from passkeys p where p.person_id = of_person and p.id = wanted and (
      exists (select from passkeys o where o.person_id = of_person and o.id <> wanted)
      or exists (select from recovery_codes c where c.person_id = of_person)
      or exists (select from memberships m join sso_identities i on i.org_id = m.org_id and i.member_id = m.id
                    join sso_connections c on c.org_id = i.org_id and c.id = i.connection_id and c.enabled
                  where m.person_id = of_person and m.removed_at is null and m.deactivated_at is null))
    returning p.*;
end
$$;

CREATE FUNCTION public.rename_passkey(of_person uuid, wanted uuid, new_name text) RETURNS SETOF public.passkeys
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 UPDATE public.passkeys AS p SET name = rename_passkey.new_name
   WHERE ((p.person_id = rename_passkey.of_person) AND (p.id = rename_passkey.wanted))
   RETURNING p.id,
     p.person_id,
     p.credential_id,
     p.public_key,
     p.counter,
     p.is_backup_eligible,
     p.is_backed_up,
     p.name,
     p.created_at,
     p.last_used_at;
END;

CREATE FUNCTION public.replace_recovery_codes(of_person uuid, digests bytea[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public'
    AS $$
begin
  perform pg_advisory_xact_lock(hashtextextended('passkeys ' || of_person, 0));
  delete from recovery_codes c where c.person_id = of_person;
  insert into recovery_codes (person_id, digest) select of_person, unnest(digests);
end
$$;

CREATE TABLE public.webhook_replays (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    subscription_id uuid NOT NULL,
    kinds text[] NOT NULL,
    after_id uuid NOT NULL,
    before_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    from_at timestamp with time zone,
    to_at timestamp with time zone,
    event_count integer,
    told_count integer DEFAULT 0 NOT NULL,
    finished_at timestamp with time zone
);

ALTER TABLE ONLY public.webhook_replays FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.replays_waiting(most integer) RETURNS TABLE(org_id uuid, id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT r.org_id,
     r.id
    FROM public.webhook_replays r
   WHERE ((r.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND (r.finished_at IS NULL))
   ORDER BY r.id
  LIMIT replays_waiting.most;
END;

CREATE TABLE public.retention_policies (
    org_id uuid NOT NULL,
    raw_days integer NOT NULL,
    class smallint NOT NULL,
    classes smallint[] NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT retention_policies_raw_days_check CHECK (((raw_days >= 1) AND (raw_days <= 3650)))
);

ALTER TABLE ONLY public.retention_policies FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.retention_classes_in_use() RETURNS SETOF smallint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT DISTINCT unnest(p.classes) AS unnest
    FROM public.retention_policies p;
END;

CREATE FUNCTION public.row_digest(r anyelement) RETURNS numeric
    LANGUAGE plpgsql STABLE
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET bytea_output TO 'hex'
    SET extra_float_digits TO '1'
    AS $$
begin
  return hashtextextended(r::text, 0)::numeric;
end
$$;

CREATE FUNCTION public.slack_apps_of(wanted uuid[]) RETURNS TABLE(org_id uuid, enabled boolean, sealed_signing_secret bytea)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT a.org_id,
     a.enabled,
     a.sealed_signing_secret
    FROM public.slack_apps a
   WHERE (a.org_id = ANY (slack_apps_of.wanted));
END;

CREATE FUNCTION public.slack_secrets_sealed_with(key_ids text[], most integer) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT a.org_id
    FROM public.slack_apps a
   WHERE ((a.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND ((public.sealed_with(a.sealed_signing_secret) = ANY (slack_secrets_sealed_with.key_ids)) OR (public.sealed_with(a.sealed_bot_token) = ANY (slack_secrets_sealed_with.key_ids))))
  LIMIT slack_secrets_sealed_with.most;
END;

CREATE FUNCTION public.sso_connection_of_domain(wanted text) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT c.id
    FROM (public.sso_domains d
      JOIN public.sso_connections c ON (((c.org_id = d.org_id) AND (c.id = d.connection_id))))
   WHERE ((d.domain = sso_connection_of_domain.wanted) AND (d.verified_at IS NOT NULL) AND c.enabled);
END;

CREATE FUNCTION public.sso_secrets_sealed_with(key_ids text[], most integer) RETURNS TABLE(org_id uuid, id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT c.org_id,
     c.id
    FROM public.sso_connections c
   WHERE ((c.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND (public.sealed_with(c.sealed_secret) = ANY (sso_secrets_sealed_with.key_ids)))
  LIMIT sso_secrets_sealed_with.most;
END;

CREATE FUNCTION public.tables_missing_in_dump() RETURNS SETOF text
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT ((c.oid)::regclass)::text AS oid
    FROM pg_class c
   WHERE ((c.relnamespace IN ( SELECT n.oid
            FROM pg_namespace n
           WHERE (n.nspname = ANY (ARRAY['public'::name, 'graphile_worker'::name])))) AND (c.relkind = ANY (ARRAY['r'::"char", 'p'::"char", 'S'::"char"])) AND ((NOT
         CASE c.relkind
             WHEN 'S'::"char" THEN has_sequence_privilege(c.oid, 'select'::text)
             ELSE has_table_privilege(c.oid, 'select'::text)
         END) OR (row_security_active(c.oid) AND (NOT (EXISTS ( SELECT
            FROM pg_policy p
           WHERE ((p.polrelid = c.oid) AND (p.polname = 'backup'::name) AND (p.polcmd = 'r'::"char") AND pg_has_role(p.polroles[1], 'usage'::text))))))))
   ORDER BY ((c.oid)::regclass)::text;
END;

CREATE FUNCTION public.take_events(most integer) RETURNS TABLE(org_id uuid, id uuid, kind text, subject text, body jsonb, created_at timestamp with time zone, seq bigint)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 WITH taken AS (
          DELETE FROM public.outbox AS o
            USING ( SELECT w_1.org_id,
                     w_1.id
                    FROM public.outbox w_1
                   WHERE (w_1.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[]))
                   ORDER BY w_1.seq
                  LIMIT take_events.most
                  FOR UPDATE OF w_1 SKIP LOCKED) w
           WHERE ((o.org_id = w.org_id) AND (o.id = w.id))
           RETURNING o.org_id,
             o.id,
             o.kind,
             o.body,
             o.created_at,
             o.subject,
             o.seq
         )
  SELECT t.org_id,
     t.id,
     t.kind,
     t.subject,
     t.body,
     t.created_at,
     t.seq
    FROM taken t
   ORDER BY t.seq;
END;

CREATE FUNCTION public.take_recovery_code(wanted bytea) RETURNS uuid
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 DELETE FROM public.recovery_codes AS c
   WHERE (c.digest = take_recovery_code.wanted)
   RETURNING c.person_id;
END;

CREATE FUNCTION public.take_sign_in_link(wanted uuid, wanted_digest bytea) RETURNS uuid
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 DELETE FROM public.sign_in_links
   WHERE ((sign_in_links.id = take_sign_in_link.wanted) AND (sign_in_links.digest = take_sign_in_link.wanted_digest) AND (sign_in_links.expires_at > clock_timestamp()))
   RETURNING COALESCE(sign_in_links.key_id, sign_in_links.grant_id, sign_in_links.member_id) AS "coalesce";
END;

CREATE FUNCTION public.take_slack_apps(worker uuid, lease interval, most integer) RETURNS SETOF uuid
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 UPDATE public.slack_apps AS a SET leased_until = (clock_timestamp() + take_slack_apps.lease), leased_by = take_slack_apps.worker
    FROM ( SELECT d_1.org_id
            FROM public.slack_apps d_1
           WHERE ((d_1.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND d_1.enabled AND (d_1.due_at <= now()) AND (d_1.leased_until <= now()))
           ORDER BY d_1.due_at
          LIMIT take_slack_apps.most
          FOR UPDATE OF d_1 SKIP LOCKED) d
   WHERE (a.org_id = d.org_id)
   RETURNING a.org_id;
END;

CREATE TABLE public.webhook_queues (
    org_id uuid NOT NULL,
    subscription_id uuid NOT NULL,
    due_at timestamp with time zone,
    not_before timestamp with time zone,
    leased_by uuid,
    width smallint DEFAULT 2 NOT NULL,
    troubled boolean DEFAULT false NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    failing_since timestamp with time zone,
    last_attempt_at timestamp with time zone,
    last_success_at timestamp with time zone,
    latency_ms integer
)
WITH (fillfactor='50', autovacuum_vacuum_threshold='1000', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_cost_delay='0');

ALTER TABLE ONLY public.webhook_queues FORCE ROW LEVEL SECURITY;

CREATE FUNCTION public.take_webhook_queues(worker uuid, lease interval, only_troubled boolean, most integer) RETURNS TABLE(org_id uuid, subscription_id uuid, width smallint, failures integer, latency_ms integer)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 UPDATE public.webhook_queues AS q SET due_at = (clock_timestamp() + take_webhook_queues.lease), leased_by = take_webhook_queues.worker
    FROM ( SELECT d_1.org_id,
             d_1.subscription_id
            FROM public.webhook_queues d_1
           WHERE ((d_1.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND (d_1.troubled = take_webhook_queues.only_troubled) AND (d_1.due_at <= now()))
           ORDER BY d_1.due_at
          LIMIT take_webhook_queues.most
          FOR UPDATE OF d_1 SKIP LOCKED) d
   WHERE ((q.org_id = d.org_id) AND (q.subscription_id = d.subscription_id))
   RETURNING q.org_id,
     q.subscription_id,
     q.width,
     q.failures,
     q.latency_ms;
END;

CREATE FUNCTION public.touch_keys(ids uuid[], times timestamp with time zone[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 UPDATE public.api_keys AS k SET last_used_at = GREATEST(k.last_used_at, t.used_at)
    FROM UNNEST(touch_keys.ids, touch_keys.times) t(id, used_at)
   WHERE (k.id = t.id);
END;

CREATE FUNCTION public.touch_scim_tokens(ids uuid[], times timestamp with time zone[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 UPDATE public.scim_tokens AS s SET last_used_at = GREATEST(s.last_used_at, t.used_at)
    FROM UNNEST(touch_scim_tokens.ids, touch_scim_tokens.times) t(id, used_at)
   WHERE (s.id = t.id);
END;

CREATE FUNCTION public.touch_sessions(ids uuid[], times timestamp with time zone[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 UPDATE public.sessions AS s SET last_used_at = GREATEST(s.last_used_at, t.used_at)
    FROM UNNEST(touch_sessions.ids, touch_sessions.times) t(id, used_at)
   WHERE (s.id = t.id);
END;

CREATE FUNCTION public.try_run_keys(orgs uuid[], names text[], runs uuid[], hashes text[]) RETURNS TABLE(org_id uuid, key text)
    LANGUAGE plpgsql
    SET search_path TO 'public'
    AS $$
#variable_conflict use_column
declare
  patience constant text := current_setting('lock_timeout');
  -- So many milliseconds one organization may cost the others of its batch.
  most_misses constant integer := 8;
  misses integer := 0;
  busy text[] := '{}';
  wanted record;
begin
  perform set_config('lock_timeout', '1', true);
  begin
    insert into run_keys (org_id, key, run_id, content_hash, seen_on)
    select k.org, k.name, k.run, decode(k.hash, 'hex'), (clock_timestamp() at time zone 'UTC')::date
      from unnest(orgs, names, runs, hashes) with ordinality as k (org, name, run, hash, place)
     order by k.org, k.name collate "C", k.place
    on conflict do nothing;
    perform set_config('lock_timeout', patience, true);
    return;
  exception when lock_not_available then
    null;
  end;
  -- Somebody is in the way: one by one, to learn of whom. In the order in which they came, those that were busy before last.
  for wanted in
    select k.org, k.name, k.run, k.hash, k.org::text || k.name as whole,
           lag(k.org) over (order by k.org, k.place) is distinct from k.org as is_next_org
      from unnest(orgs, names, runs, hashes) with ordinality as k (org, name, run, hash, place)
     order by k.org, k.place
  loop
    if wanted.is_next_org then misses := 0; end if;
    begin
      if misses >= most_misses or wanted.whole = any(busy) then raise lock_not_available; end if;
      insert into run_keys (org_id, key, run_id, content_hash, seen_on)
      values (wanted.org, wanted.name, wanted.run, decode(wanted.hash, 'hex'), (clock_timestamp() at time zone 'UTC')::date)
      on conflict do nothing;
    exception when lock_not_available then
      if wanted.whole <> all(busy) then
        misses := misses + 1;
        busy := busy || wanted.whole;
      end if;
      org_id := wanted.org;
      key := wanted.name;
      return next;
    end;
  end loop;
  perform set_config('lock_timeout', patience, true);
end
$$;

CREATE FUNCTION public.unused_keys(key_ids text[], since timestamp with time zone, most integer) RETURNS TABLE(org_id uuid, id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT k.org_id,
     k.id
    FROM public.api_keys k
   WHERE ((k.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND (k.mac_key_id = ANY (unused_keys.key_ids)) AND (k.revoked_at IS NULL) AND ((k.expires_at IS NULL) OR (k.expires_at > clock_timestamp())) AND (COALESCE(k.last_used_at, k.created_at) < unused_keys.since))
   ORDER BY k.id
  LIMIT unused_keys.most;
END;

CREATE FUNCTION public.use_passkey(wanted uuid, new_counter bigint, new_is_backed_up boolean) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 WITH used AS (
          UPDATE public.passkeys AS p SET counter = use_passkey.new_counter, is_backed_up = use_passkey.new_is_backed_up, last_used_at = clock_timestamp()
           WHERE ((p.id = use_passkey.wanted) AND ((p.counter < use_passkey.new_counter) OR ((p.counter = 0) AND (use_passkey.new_counter = 0))))
           RETURNING p.id
         )
  SELECT (EXISTS ( SELECT
            FROM used)) AS "exists";
END;

CREATE TABLE public.passkey_challenges (
    digest bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT passkey_challenges_digest_check CHECK ((length(digest) = 32))
);

CREATE FUNCTION public.use_passkey_challenge(wanted bytea, until timestamp with time zone) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 WITH used AS (
          INSERT INTO public.passkey_challenges (digest, expires_at)
           VALUES (use_passkey_challenge.wanted, use_passkey_challenge.until) ON CONFLICT DO NOTHING
           RETURNING 1 AS "?column?"
         )
  SELECT (EXISTS ( SELECT
            FROM used)) AS "exists";
END;

CREATE FUNCTION public.webhook_secrets_sealed_with(key_ids text[], most integer) RETURNS TABLE(org_id uuid, subscription_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public'
    BEGIN ATOMIC
 SELECT o.org_id,
     NULL::uuid AS uuid
    FROM public.webhook_org_secrets o
   WHERE ((o.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND (public.sealed_with(o.sealed) = ANY (webhook_secrets_sealed_with.key_ids)))
 UNION ALL
  SELECT w.org_id,
     w.id
    FROM public.webhook_subscriptions w
   WHERE ((w.org_id <> ALL (( SELECT public.closed_orgs() AS closed_orgs)::uuid[])) AND ((public.sealed_with(w.sealed) = ANY (webhook_secrets_sealed_with.key_ids)) OR (public.sealed_with(w.sealed_previous) = ANY (webhook_secrets_sealed_with.key_ids)) OR (public.sealed_with(w.destination_sealed) = ANY (webhook_secrets_sealed_with.key_ids))))
 LIMIT webhook_secrets_sealed_with.most;
END;

CREATE TABLE public.audit_log (
    org_id uuid NOT NULL,
    seq bigint NOT NULL,
    id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    actor jsonb NOT NULL,
    action text NOT NULL,
    target jsonb NOT NULL,
    outcome text NOT NULL,
    before jsonb,
    after jsonb,
    address text,
    trace_id text NOT NULL,
    count integer DEFAULT 1 NOT NULL,
    mac bytea NOT NULL,
    mac_key_id text NOT NULL,
    reason text,
    CONSTRAINT audit_log_outcome_check CHECK ((outcome = ANY (ARRAY['allowed'::text, 'denied'::text])))
)
PARTITION BY RANGE (at);

ALTER TABLE ONLY public.audit_log FORCE ROW LEVEL SECURITY;

CREATE TABLE public.ledger_batches (
    org_id uuid NOT NULL,
    seq bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    keys uuid[] NOT NULL,
    spent_after bigint[] NOT NULL,
    held_after bigint[] NOT NULL,
    prev_seq bigint[] NOT NULL,
    decide_version smallint NOT NULL,
    kinds text[],
    hold_ids uuid[],
    key_places integer[],
    key_ends integer[],
    changes_by_key boolean,
    d_spent bigint[],
    d_held bigint[],
    d_overrun bigint[],
    d_late bigint[],
    made_by_keys uuid[],
    made_by_grants uuid[],
    actors jsonb[],
    reason text
)
PARTITION BY RANGE (at);

ALTER TABLE ONLY public.ledger_batches FORCE ROW LEVEL SECURITY;

CREATE VIEW public.batch_movements WITH (security_invoker='true') AS
 SELECT b.org_id,
    b.seq,
    m.idx,
    b.at,
    b.kinds[LEAST((m.idx + 1), cardinality(b.kinds))] AS kind,
    m.hold_id,
        CASE
            WHEN (cardinality(b.key_places) > 0) THEN ARRAY( SELECT b.keys[p.place] AS keys
               FROM unnest(b.key_places[m.first:m.last]) WITH ORDINALITY p(place, number)
              ORDER BY p.number)
            ELSE b.keys
        END AS keys,
    COALESCE(b.d_spent[m.first_change:m.last_change], '{}'::bigint[]) AS d_spent,
    COALESCE(b.d_held[m.first_change:m.last_change], '{}'::bigint[]) AS d_held,
    COALESCE(b.d_overrun[m.first_change:m.last_change], '{}'::bigint[]) AS d_overrun,
    COALESCE(b.d_late[m.first_change:m.last_change], '{}'::bigint[]) AS d_late,
    b.actors[LEAST((m.idx + 1), cardinality(b.actors))] AS actor,
    b.reason,
    b.made_by_keys[LEAST((m.idx + 1), cardinality(b.made_by_keys))] AS key_id,
    b.made_by_grants[LEAST((m.idx + 1), cardinality(b.made_by_grants))] AS grant_id
   FROM (public.ledger_batches b
     CROSS JOIN LATERAL ( SELECT ((u.number - 1))::integer AS idx,
            u.hold_id,
            p.first,
            p.last,
                CASE
                    WHEN b.changes_by_key THEN p.first
                    ELSE (u.number)::integer
                END AS first_change,
                CASE
                    WHEN b.changes_by_key THEN p.last
                    ELSE (u.number)::integer
                END AS last_change
           FROM (UNNEST(b.hold_ids, b.key_ends) WITH ORDINALITY u(hold_id, key_end, number)
             CROSS JOIN LATERAL ( SELECT (COALESCE(b.key_ends[((u.number)::integer - 1)], (((u.number)::integer - 1) * cardinality(b.keys))) + 1) AS first,
                    COALESCE(u.key_end, ((u.number)::integer * cardinality(b.keys))) AS last) p)) m);

CREATE TABLE public.benchmark_cohorts (
    id uuid NOT NULL,
    name text NOT NULL,
    industry text,
    size text,
    workload text,
    period text NOT NULL,
    status text DEFAULT 'open'::text NOT NULL,
    opened_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT benchmark_cohorts_period_check CHECK ((period = ANY (ARRAY['week'::text, 'month'::text]))),
    CONSTRAINT benchmark_cohorts_status_check CHECK ((status = ANY (ARRAY['open'::text, 'closed'::text])))
);

CREATE TABLE public.benchmark_sets (
    id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

CREATE TABLE public.chain_limits (
    org_id uuid NOT NULL,
    workflow_id text NOT NULL,
    max_cost_nano bigint,
    max_tokens bigint,
    max_depth integer,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT chain_limits_max_cost_nano_check CHECK ((max_cost_nano >= 0)),
    CONSTRAINT chain_limits_max_depth_check CHECK ((max_depth > 0)),
    CONSTRAINT chain_limits_max_tokens_check CHECK ((max_tokens >= 0))
);

ALTER TABLE ONLY public.chain_limits FORCE ROW LEVEL SECURITY;

CREATE TABLE public.content_safety (
    org_id uuid NOT NULL,
    settings jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY public.content_safety FORCE ROW LEVEL SECURITY;

CREATE TABLE public.customer_limits (
    org_id uuid NOT NULL,
    customer_id text NOT NULL,
    id uuid NOT NULL,
    amount bigint,
    period text NOT NULL,
    anchor date,
    timezone text NOT NULL,
    next_period text,
    next_anchor date,
    next_timezone text,
    next_from timestamp with time zone,
    max_new_customers_per_day integer,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    thresholds smallint[] DEFAULT '{}'::smallint[] NOT NULL,
    CONSTRAINT customer_limits_amount_check CHECK ((amount >= 0)),
    CONSTRAINT customer_limits_check CHECK ((((next_from IS NULL) = (next_period IS NULL)) AND ((next_from IS NULL) = (next_timezone IS NULL)))),
    CONSTRAINT customer_limits_check1 CHECK (((customer_id = ''::text) = (max_new_customers_per_day IS NOT NULL))),
    CONSTRAINT customer_limits_next_period_check CHECK ((next_period = ANY (ARRAY['day'::text, 'week'::text, 'month'::text, 'quarter'::text, 'year'::text]))),
    CONSTRAINT customer_limits_period_check CHECK ((period = ANY (ARRAY['day'::text, 'week'::text, 'month'::text, 'quarter'::text, 'year'::text])))
);

ALTER TABLE ONLY public.customer_limits FORCE ROW LEVEL SECURITY;

CREATE TABLE public.decision_records (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    body jsonb NOT NULL
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY public.decision_records FORCE ROW LEVEL SECURITY;

CREATE TABLE public.deprecated_calls (
    org_id uuid NOT NULL,
    day date NOT NULL,
    method text NOT NULL,
    route text NOT NULL,
    caller_id uuid NOT NULL,
    caller_kind text NOT NULL,
    calls bigint NOT NULL,
    last_at timestamp with time zone NOT NULL,
    CONSTRAINT deprecated_calls_caller_kind_check CHECK ((caller_kind = ANY (ARRAY['key'::text, 'support'::text, 'person'::text]))),
    CONSTRAINT deprecated_calls_calls_check CHECK ((calls > 0))
);

ALTER TABLE ONLY public.deprecated_calls FORCE ROW LEVEL SECURITY;

CREATE TABLE public.dimension_settings (
    org_id uuid NOT NULL,
    dimension text NOT NULL,
    known_values text[] NOT NULL,
    pattern text,
    on_unknown text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT dimension_settings_on_unknown_check CHECK ((on_unknown = ANY (ARRAY['allow'::text, 'default_limit'::text, 'refuse'::text])))
);

ALTER TABLE ONLY public.dimension_settings FORCE ROW LEVEL SECURITY;

CREATE TABLE public.directory_roles (
    org_id uuid NOT NULL,
    rules jsonb NOT NULL,
    default_role text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT directory_roles_default_role_check CHECK ((default_role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text, 'viewer'::text])))
);

ALTER TABLE ONLY public.directory_roles FORCE ROW LEVEL SECURITY;

CREATE TABLE public.directory_users (
    org_id uuid NOT NULL,
    member_id uuid NOT NULL,
    user_name_key text NOT NULL,
    attributes jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT directory_users_user_name_key_check CHECK ((length(user_name_key) <= 1000))
);

ALTER TABLE ONLY public.directory_users FORCE ROW LEVEL SECURITY;

CREATE TABLE public.eval_expiries (
    org_id uuid NOT NULL,
    route_id uuid NOT NULL,
    eval_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY public.eval_expiries FORCE ROW LEVEL SECURITY;

CREATE TABLE public.eval_results (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    suite text NOT NULL,
    model text NOT NULL,
    provider text,
    score double precision NOT NULL,
    samples integer NOT NULL,
    latency_ms integer,
    measured_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY public.eval_results FORCE ROW LEVEL SECURITY;

CREATE TABLE public.event_opt_ins (
    org_id uuid NOT NULL,
    kind text NOT NULL
);

ALTER TABLE ONLY public.event_opt_ins FORCE ROW LEVEL SECURITY;

CREATE TABLE public.events (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    payload text NOT NULL,
    created_at timestamp with time zone NOT NULL
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY public.events FORCE ROW LEVEL SECURITY;

CREATE TABLE public.freezes (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    target_kind text NOT NULL,
    target_id uuid NOT NULL,
    target text NOT NULL,
    reason text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT freezes_target_kind_check CHECK ((target_kind = ANY (ARRAY['org'::text, 'key'::text, 'limit'::text])))
);

ALTER TABLE ONLY public.freezes FORCE ROW LEVEL SECURITY;

CREATE TABLE public.idempotency_keys (
    org_id uuid NOT NULL,
    key text NOT NULL,
    day date NOT NULL,
    request_hash bytea NOT NULL,
    attempt integer DEFAULT 1 NOT NULL,
    claimed_at timestamp with time zone NOT NULL,
    completed_at timestamp with time zone,
    status smallint,
    sealed bytea
)
PARTITION BY RANGE (day);

ALTER TABLE ONLY public.idempotency_keys FORCE ROW LEVEL SECURITY;

CREATE TABLE public.kept_days (
    parent text NOT NULL,
    days integer NOT NULL,
    CONSTRAINT kept_days_days_check CHECK ((days > 0))
);

CREATE TABLE public.limit_refusals (
    org_id uuid NOT NULL,
    key uuid NOT NULL,
    count bigint NOT NULL,
    last_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.limit_refusals FORCE ROW LEVEL SECURITY;

CREATE TABLE public.mail_uses (
    org_id uuid NOT NULL,
    subject uuid NOT NULL,
    hour timestamp with time zone NOT NULL,
    used bigint DEFAULT 0 NOT NULL,
    CONSTRAINT mail_uses_used_check CHECK ((used >= 0))
);

ALTER TABLE ONLY public.mail_uses FORCE ROW LEVEL SECURITY;

CREATE TABLE public.movement_rows (
    org_id uuid NOT NULL,
    seq bigint NOT NULL,
    idx integer NOT NULL,
    at timestamp with time zone NOT NULL,
    kind text NOT NULL,
    hold_id uuid,
    keys uuid[] NOT NULL,
    d_spent bigint[] NOT NULL,
    d_held bigint[] NOT NULL,
    d_overrun bigint[] NOT NULL,
    d_late bigint[] NOT NULL,
    actor jsonb,
    reason text,
    key_id uuid,
    grant_id uuid,
    CONSTRAINT movements_kind_check CHECK ((kind = ANY (ARRAY['hold'::text, 'settle'::text, 'release'::text, 'expire'::text, 'charge'::text, 'adjust'::text])))
)
PARTITION BY RANGE (at);

ALTER TABLE ONLY public.movement_rows FORCE ROW LEVEL SECURITY;

CREATE VIEW public.movements WITH (security_invoker='true') AS
 SELECT movement_rows.org_id,
    movement_rows.seq,
    movement_rows.idx,
    movement_rows.at,
    movement_rows.kind,
    movement_rows.hold_id,
    movement_rows.keys,
    movement_rows.d_spent,
    movement_rows.d_held,
    movement_rows.d_overrun,
    movement_rows.d_late,
    movement_rows.actor,
    movement_rows.reason,
    movement_rows.key_id,
    movement_rows.grant_id
   FROM public.movement_rows
UNION ALL
 SELECT batch_movements.org_id,
    batch_movements.seq,
    batch_movements.idx,
    batch_movements.at,
    batch_movements.kind,
    batch_movements.hold_id,
    batch_movements.keys,
    batch_movements.d_spent,
    batch_movements.d_held,
    batch_movements.d_overrun,
    batch_movements.d_late,
    batch_movements.actor,
    batch_movements.reason,
    batch_movements.key_id,
    batch_movements.grant_id
   FROM public.batch_movements;

CREATE TABLE public.nodes (
    id uuid NOT NULL,
    role text NOT NULL,
    version text NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    lease_until timestamp with time zone NOT NULL,
    job_lockers text[] DEFAULT '{}'::text[] NOT NULL,
    applied_version bigint DEFAULT 0 NOT NULL
);

CREATE TABLE public.org_move_changes (
    id bigint NOT NULL,
    moved_org uuid NOT NULL,
    table_name text NOT NULL,
    key jsonb NOT NULL,
    rows integer NOT NULL,
    digest numeric NOT NULL
);

ALTER TABLE public.org_move_changes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.org_move_changes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.org_move_sums (
    moved_org uuid NOT NULL,
    table_name text NOT NULL,
    rows bigint NOT NULL,
    digest numeric NOT NULL
);

CREATE TABLE public.otlp_mappings (
    org_id uuid NOT NULL,
    workflow_id text[],
    deployment_id text[],
    department_id text[],
    customer_id text[],
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    user_id text[],
    seat_keys uuid[],
    seat_accounts text[],
    seat_logins boolean
);

ALTER TABLE ONLY public.otlp_mappings FORCE ROW LEVEL SECURITY;

CREATE TABLE public.policy_matches (
    org_id uuid NOT NULL,
    minute timestamp with time zone NOT NULL,
    id uuid NOT NULL,
    rule_id uuid NOT NULL,
    rule_version integer NOT NULL,
    set_version bigint NOT NULL,
    outcome text NOT NULL,
    shadow boolean NOT NULL,
    attempt_hash bytea NOT NULL,
    attempt jsonb NOT NULL,
    count bigint NOT NULL,
    CONSTRAINT policy_matches_outcome_check CHECK ((outcome = ANY (ARRAY['block'::text, 'require_approval'::text, 'allow'::text, 'error'::text])))
)
PARTITION BY RANGE (minute);

ALTER TABLE ONLY public.policy_matches FORCE ROW LEVEL SECURITY;

CREATE TABLE public.policy_rules (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    effect text NOT NULL,
    target text NOT NULL,
    priority integer NOT NULL,
    expression text NOT NULL,
    reason text NOT NULL,
    enabled boolean NOT NULL,
    shadow boolean NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    approver text DEFAULT 'anyone'::text NOT NULL,
    CONSTRAINT policy_rules_approver_check CHECK ((approver = ANY (ARRAY['anyone'::text, 'person'::text, 'another_person'::text]))),
    CONSTRAINT policy_rules_effect_check CHECK ((effect = ANY (ARRAY['block'::text, 'require_approval'::text, 'allow'::text]))),
    CONSTRAINT policy_rules_target_check CHECK ((target = ANY (ARRAY['model'::text, 'action'::text])))
);

ALTER TABLE ONLY public.policy_rules FORCE ROW LEVEL SECURITY;

CREATE TABLE public.policy_sets (
    org_id uuid NOT NULL,
    version bigint NOT NULL
);

ALTER TABLE ONLY public.policy_sets FORCE ROW LEVEL SECURITY;

CREATE TABLE public.proposals (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    status text NOT NULL,
    kind text NOT NULL,
    budget_id uuid,
    budget_name text NOT NULL,
    wanted jsonb NOT NULL,
    standing jsonb,
    reason text NOT NULL,
    fingerprint bytea NOT NULL,
    requested_by uuid NOT NULL,
    decided_by_member uuid,
    decided_at timestamp with time zone,
    note text,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT proposals_kind_check CHECK ((kind = ANY (ARRAY['budget_increase'::text, 'budget'::text]))),
    CONSTRAINT proposals_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'denied'::text])))
);

ALTER TABLE ONLY public.proposals FORCE ROW LEVEL SECURITY;

CREATE TABLE public.pruned_rows (
    parent text NOT NULL,
    is_over text NOT NULL
);

CREATE TABLE public.reconciliations (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    created_by text NOT NULL,
    summary jsonb NOT NULL,
    differences jsonb NOT NULL
);

ALTER TABLE ONLY public.reconciliations FORCE ROW LEVEL SECURITY;

CREATE TABLE public.refusal_days (
    org_id uuid NOT NULL,
    day date NOT NULL,
    listed integer DEFAULT 0 NOT NULL
);

ALTER TABLE ONLY public.refusal_days FORCE ROW LEVEL SECURITY;

CREATE TABLE public.refusals (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    error_code text NOT NULL,
    decided_by text,
    surface text NOT NULL,
    key_id text,
    model text,
    workflow_id text,
    deployment_id text,
    department_id text,
    customer_id text,
    chain_id text,
    count bigint NOT NULL,
    first_at timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL,
    message text NOT NULL,
    body jsonb NOT NULL,
    user_id text
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY public.refusals FORCE ROW LEVEL SECURITY;

CREATE TABLE public.routing_models (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    model text NOT NULL,
    provider text,
    region text,
    capabilities text[] DEFAULT '{}'::text[] NOT NULL,
    context_tokens bigint,
    latency_ms integer,
    enabled boolean NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY public.routing_models FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_keys_0 (
    org_id uuid NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    content_hash bytea,
    seen_on date NOT NULL
);

ALTER TABLE ONLY public.run_keys_0 FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_keys_1 (
    org_id uuid NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    content_hash bytea,
    seen_on date NOT NULL
);

ALTER TABLE ONLY public.run_keys_1 FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_keys_10 (
    org_id uuid NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    content_hash bytea,
    seen_on date NOT NULL
);

ALTER TABLE ONLY public.run_keys_10 FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_keys_11 (
    org_id uuid NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    content_hash bytea,
    seen_on date NOT NULL
);

ALTER TABLE ONLY public.run_keys_11 FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_keys_12 (
    org_id uuid NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    content_hash bytea,
    seen_on date NOT NULL
);

ALTER TABLE ONLY public.run_keys_12 FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_keys_13 (
    org_id uuid NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    content_hash bytea,
    seen_on date NOT NULL
);

ALTER TABLE ONLY public.run_keys_13 FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_keys_14 (
    org_id uuid NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    content_hash bytea,
    seen_on date NOT NULL
);

ALTER TABLE ONLY public.run_keys_14 FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_keys_15 (
    org_id uuid NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    content_hash bytea,
    seen_on date NOT NULL
);

ALTER TABLE ONLY public.run_keys_15 FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_keys_2 (
    org_id uuid NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    content_hash bytea,
    seen_on date NOT NULL
);

ALTER TABLE ONLY public.run_keys_2 FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_keys_3 (
    org_id uuid NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    content_hash bytea,
    seen_on date NOT NULL
);

ALTER TABLE ONLY public.run_keys_3 FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_keys_4 (
    org_id uuid NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    content_hash bytea,
    seen_on date NOT NULL
);

ALTER TABLE ONLY public.run_keys_4 FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_keys_5 (
    org_id uuid NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    content_hash bytea,
    seen_on date NOT NULL
);

ALTER TABLE ONLY public.run_keys_5 FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_keys_6 (
    org_id uuid NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    content_hash bytea,
    seen_on date NOT NULL
);

ALTER TABLE ONLY public.run_keys_6 FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_keys_7 (
    org_id uuid NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    content_hash bytea,
    seen_on date NOT NULL
);

ALTER TABLE ONLY public.run_keys_7 FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_keys_8 (
    org_id uuid NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    content_hash bytea,
    seen_on date NOT NULL
);

ALTER TABLE ONLY public.run_keys_8 FORCE ROW LEVEL SECURITY;

CREATE TABLE public.run_keys_9 (
    org_id uuid NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    run_id uuid NOT NULL,
    content_hash bytea,
    seen_on date NOT NULL
);

ALTER TABLE ONLY public.run_keys_9 FORCE ROW LEVEL SECURITY;

CREATE TABLE public.runs (
    org_id uuid NOT NULL,
    class smallint NOT NULL,
    id uuid NOT NULL,
    status text NOT NULL,
    model text NOT NULL,
    provider text,
    operation text,
    action text,
    workflow_id text,
    deployment_id text,
    department_id text,
    customer_id text,
    chain_id text,
    parent_run_id uuid,
    depth integer,
    external_id text,
    hold_id uuid,
    input_tokens bigint,
    output_tokens bigint,
    cache_read_input_tokens bigint,
    cache_creation_input_tokens bigint,
    reasoning_output_tokens bigint,
    cost_nano bigint NOT NULL,
    cost_basis text NOT NULL,
    reserved_nano bigint,
    overrun_nano bigint DEFAULT 0 NOT NULL,
    value_nano bigint,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    metadata json,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    recorded_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    admission json,
    key_id uuid,
    grant_id uuid,
    user_id text,
    usage_detail json,
    CONSTRAINT runs_cost_basis_check CHECK ((cost_basis = ANY (ARRAY['reported'::text, 'computed'::text, 'estimated'::text]))),
    CONSTRAINT runs_cost_nano_check CHECK ((cost_nano >= 0)),
    CONSTRAINT runs_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'cancelled'::text, 'expired'::text])))
)
PARTITION BY LIST (class);

ALTER TABLE ONLY public.runs FORCE ROW LEVEL SECURITY;

CREATE TABLE public.runs_30 (
    org_id uuid NOT NULL,
    class smallint NOT NULL,
    id uuid NOT NULL,
    status text NOT NULL,
    model text NOT NULL,
    provider text,
    operation text,
    action text,
    workflow_id text,
    deployment_id text,
    department_id text,
    customer_id text,
    chain_id text,
    parent_run_id uuid,
    depth integer,
    external_id text,
    hold_id uuid,
    input_tokens bigint,
    output_tokens bigint,
    cache_read_input_tokens bigint,
    cache_creation_input_tokens bigint,
    reasoning_output_tokens bigint,
    cost_nano bigint NOT NULL,
    cost_basis text NOT NULL,
    reserved_nano bigint,
    overrun_nano bigint DEFAULT 0 NOT NULL,
    value_nano bigint,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    metadata json,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    recorded_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    admission json,
    key_id uuid,
    grant_id uuid,
    user_id text,
    usage_detail json,
    CONSTRAINT runs_cost_basis_check CHECK ((cost_basis = ANY (ARRAY['reported'::text, 'computed'::text, 'estimated'::text]))),
    CONSTRAINT runs_cost_nano_check CHECK ((cost_nano >= 0)),
    CONSTRAINT runs_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'cancelled'::text, 'expired'::text])))
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY public.runs_30 FORCE ROW LEVEL SECURITY;

CREATE TABLE public.runs_3650 (
    org_id uuid NOT NULL,
    class smallint NOT NULL,
    id uuid NOT NULL,
    status text NOT NULL,
    model text NOT NULL,
    provider text,
    operation text,
    action text,
    workflow_id text,
    deployment_id text,
    department_id text,
    customer_id text,
    chain_id text,
    parent_run_id uuid,
    depth integer,
    external_id text,
    hold_id uuid,
    input_tokens bigint,
    output_tokens bigint,
    cache_read_input_tokens bigint,
    cache_creation_input_tokens bigint,
    reasoning_output_tokens bigint,
    cost_nano bigint NOT NULL,
    cost_basis text NOT NULL,
    reserved_nano bigint,
    overrun_nano bigint DEFAULT 0 NOT NULL,
    value_nano bigint,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    metadata json,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    recorded_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    admission json,
    key_id uuid,
    grant_id uuid,
    user_id text,
    usage_detail json,
    CONSTRAINT runs_cost_basis_check CHECK ((cost_basis = ANY (ARRAY['reported'::text, 'computed'::text, 'estimated'::text]))),
    CONSTRAINT runs_cost_nano_check CHECK ((cost_nano >= 0)),
    CONSTRAINT runs_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'cancelled'::text, 'expired'::text])))
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY public.runs_3650 FORCE ROW LEVEL SECURITY;

CREATE TABLE public.runs_400 (
    org_id uuid NOT NULL,
    class smallint NOT NULL,
    id uuid NOT NULL,
    status text NOT NULL,
    model text NOT NULL,
    provider text,
    operation text,
    action text,
    workflow_id text,
    deployment_id text,
    department_id text,
    customer_id text,
    chain_id text,
    parent_run_id uuid,
    depth integer,
    external_id text,
    hold_id uuid,
    input_tokens bigint,
    output_tokens bigint,
    cache_read_input_tokens bigint,
    cache_creation_input_tokens bigint,
    reasoning_output_tokens bigint,
    cost_nano bigint NOT NULL,
    cost_basis text NOT NULL,
    reserved_nano bigint,
    overrun_nano bigint DEFAULT 0 NOT NULL,
    value_nano bigint,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    metadata json,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    recorded_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    admission json,
    key_id uuid,
    grant_id uuid,
    user_id text,
    usage_detail json,
    CONSTRAINT runs_cost_basis_check CHECK ((cost_basis = ANY (ARRAY['reported'::text, 'computed'::text, 'estimated'::text]))),
    CONSTRAINT runs_cost_nano_check CHECK ((cost_nano >= 0)),
    CONSTRAINT runs_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'cancelled'::text, 'expired'::text])))
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY public.runs_400 FORCE ROW LEVEL SECURITY;

CREATE TABLE public.runs_7 (
    org_id uuid NOT NULL,
    class smallint NOT NULL,
    id uuid NOT NULL,
    status text NOT NULL,
    model text NOT NULL,
    provider text,
    operation text,
    action text,
    workflow_id text,
    deployment_id text,
    department_id text,
    customer_id text,
    chain_id text,
    parent_run_id uuid,
    depth integer,
    external_id text,
    hold_id uuid,
    input_tokens bigint,
    output_tokens bigint,
    cache_read_input_tokens bigint,
    cache_creation_input_tokens bigint,
    reasoning_output_tokens bigint,
    cost_nano bigint NOT NULL,
    cost_basis text NOT NULL,
    reserved_nano bigint,
    overrun_nano bigint DEFAULT 0 NOT NULL,
    value_nano bigint,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    metadata json,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    recorded_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    admission json,
    key_id uuid,
    grant_id uuid,
    user_id text,
    usage_detail json,
    CONSTRAINT runs_cost_basis_check CHECK ((cost_basis = ANY (ARRAY['reported'::text, 'computed'::text, 'estimated'::text]))),
    CONSTRAINT runs_cost_nano_check CHECK ((cost_nano >= 0)),
    CONSTRAINT runs_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'cancelled'::text, 'expired'::text])))
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY public.runs_7 FORCE ROW LEVEL SECURITY;

CREATE TABLE public.runs_90 (
    org_id uuid NOT NULL,
    class smallint NOT NULL,
    id uuid NOT NULL,
    status text NOT NULL,
    model text NOT NULL,
    provider text,
    operation text,
    action text,
    workflow_id text,
    deployment_id text,
    department_id text,
    customer_id text,
    chain_id text,
    parent_run_id uuid,
    depth integer,
    external_id text,
    hold_id uuid,
    input_tokens bigint,
    output_tokens bigint,
    cache_read_input_tokens bigint,
    cache_creation_input_tokens bigint,
    reasoning_output_tokens bigint,
    cost_nano bigint NOT NULL,
    cost_basis text NOT NULL,
    reserved_nano bigint,
    overrun_nano bigint DEFAULT 0 NOT NULL,
    value_nano bigint,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    metadata json,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    recorded_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    admission json,
    key_id uuid,
    grant_id uuid,
    user_id text,
    usage_detail json,
    CONSTRAINT runs_cost_basis_check CHECK ((cost_basis = ANY (ARRAY['reported'::text, 'computed'::text, 'estimated'::text]))),
    CONSTRAINT runs_cost_nano_check CHECK ((cost_nano >= 0)),
    CONSTRAINT runs_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'cancelled'::text, 'expired'::text])))
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY public.runs_90 FORCE ROW LEVEL SECURITY;

CREATE TABLE public.schema_compatibility (
    migration text NOT NULL,
    min_compatible text NOT NULL
);

CREATE TABLE public.schema_migrations (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    run_on timestamp without time zone NOT NULL
);

CREATE SEQUENCE public.schema_migrations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.schema_migrations_id_seq OWNED BY public.schema_migrations.id;

CREATE TABLE public.scim_group_members (
    org_id uuid NOT NULL,
    group_id uuid NOT NULL,
    member_id uuid NOT NULL
);

ALTER TABLE ONLY public.scim_group_members FORCE ROW LEVEL SECURITY;

CREATE TABLE public.scim_groups (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    display_name text NOT NULL,
    name_key text NOT NULL,
    external_id text,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT scim_groups_display_name_check CHECK (((length(display_name) >= 1) AND (length(display_name) <= 200))),
    CONSTRAINT scim_groups_external_id_check CHECK ((length(external_id) <= 254)),
    CONSTRAINT scim_groups_name_key_check CHECK ((length(name_key) <= 1000))
);

ALTER TABLE ONLY public.scim_groups FORCE ROW LEVEL SECURITY;

CREATE TABLE public.slack_link_offers (
    org_id uuid NOT NULL,
    digest bytea NOT NULL,
    slack_team_id text NOT NULL,
    slack_user_id text NOT NULL,
    slack_user_name text NOT NULL,
    email_key text NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.slack_link_offers FORCE ROW LEVEL SECURITY;

CREATE TABLE public.slack_links (
    org_id uuid NOT NULL,
    id uuid NOT NULL,
    member_id uuid NOT NULL,
    slack_team_id text NOT NULL,
    slack_user_id text NOT NULL,
    slack_user_name text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY public.slack_links FORCE ROW LEVEL SECURITY;

CREATE TABLE public.slack_messages (
    org_id uuid NOT NULL,
    approval_id uuid NOT NULL,
    posted_at timestamp with time zone,
    channel text,
    ts text,
    shown bytea,
    revision bigint DEFAULT 1 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT slack_messages_check CHECK (((channel IS NULL) = (ts IS NULL)))
);

ALTER TABLE ONLY public.slack_messages FORCE ROW LEVEL SECURITY;

CREATE TABLE public.slack_requests (
    org_id uuid NOT NULL,
    digest bytea NOT NULL,
    taken_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY public.slack_requests FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sso_answers (
    org_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    state_digest bytea NOT NULL,
    finish_digest bytea,
    answer jsonb,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT sso_answers_finish_digest_check CHECK ((length(finish_digest) = 32)),
    CONSTRAINT sso_answers_state_digest_check CHECK ((length(state_digest) = 32))
);

ALTER TABLE ONLY public.sso_answers FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sso_identities (
    org_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    subject text NOT NULL,
    member_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    last_used_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT sso_identities_subject_check CHECK ((length(subject) <= 255))
);

ALTER TABLE ONLY public.sso_identities FORCE ROW LEVEL SECURITY;

CREATE TABLE public.sso_logouts (
    org_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    digest bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT sso_logouts_digest_check CHECK ((length(digest) = 32))
);

ALTER TABLE ONLY public.sso_logouts FORCE ROW LEVEL SECURITY;

CREATE TABLE public.telemetry_sessions (
    org_id uuid NOT NULL,
    lineage_id uuid NOT NULL,
    session bytea NOT NULL,
    calls_since timestamp with time zone,
    metrics_until timestamp with time zone,
    seen_on date DEFAULT ((clock_timestamp() AT TIME ZONE 'UTC'::text))::date NOT NULL
);

ALTER TABLE ONLY public.telemetry_sessions FORCE ROW LEVEL SECURITY;

CREATE TABLE public.threshold_events (
    org_id uuid NOT NULL,
    key uuid NOT NULL,
    threshold smallint NOT NULL,
    at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.threshold_events FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN public.threshold_events.threshold IS 'Percent of the limit; 0 is the limit itself passed by cost that could not be refused, -1 the first call that it refused.';

CREATE TABLE public.unpriced_models (
    org_id uuid NOT NULL,
    model text NOT NULL,
    provider text DEFAULT ''::text NOT NULL,
    first_seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    last_seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY public.unpriced_models FORCE ROW LEVEL SECURITY;

CREATE TABLE public.usage_customer_days (
    org_id uuid NOT NULL,
    day date NOT NULL,
    customer_id text NOT NULL,
    runs bigint NOT NULL,
    failed_runs bigint NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cache_read_input_tokens bigint NOT NULL,
    cache_creation_input_tokens bigint NOT NULL,
    reasoning_output_tokens bigint NOT NULL,
    cost_nano numeric(28,0) NOT NULL,
    estimated_nano numeric(28,0) NOT NULL,
    overrun_nano numeric(28,0) NOT NULL,
    value_nano numeric(28,0) NOT NULL,
    duration_ms bigint NOT NULL,
    timed_runs bigint NOT NULL
);

ALTER TABLE ONLY public.usage_customer_days FORCE ROW LEVEL SECURITY;

CREATE TABLE public.usage_hour_values (
    org_id uuid NOT NULL,
    dimension text NOT NULL,
    bucket timestamp with time zone NOT NULL,
    value text NOT NULL,
    runs bigint NOT NULL,
    failed_runs bigint NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cache_read_input_tokens bigint NOT NULL,
    cache_creation_input_tokens bigint NOT NULL,
    reasoning_output_tokens bigint NOT NULL,
    cost_nano numeric(28,0) NOT NULL,
    estimated_nano numeric(28,0) NOT NULL,
    overrun_nano numeric(28,0) NOT NULL,
    value_nano numeric(28,0) NOT NULL,
    duration_ms bigint NOT NULL,
    timed_runs bigint NOT NULL
);

ALTER TABLE ONLY public.usage_hour_values FORCE ROW LEVEL SECURITY;

CREATE TABLE public.usage_hours (
    org_id uuid NOT NULL,
    bucket timestamp with time zone NOT NULL,
    model text NOT NULL,
    provider text NOT NULL,
    workflow_id text NOT NULL,
    deployment_id text NOT NULL,
    department_id text NOT NULL,
    runs bigint NOT NULL,
    failed_runs bigint NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cache_read_input_tokens bigint NOT NULL,
    cache_creation_input_tokens bigint NOT NULL,
    reasoning_output_tokens bigint NOT NULL,
    cost_nano numeric(28,0) NOT NULL,
    estimated_nano numeric(28,0) NOT NULL,
    overrun_nano numeric(28,0) NOT NULL,
    value_nano numeric(28,0) NOT NULL,
    duration_ms bigint NOT NULL,
    timed_runs bigint NOT NULL,
    key_id text DEFAULT ''::text NOT NULL,
    user_id text DEFAULT ''::text NOT NULL
);

ALTER TABLE ONLY public.usage_hours FORCE ROW LEVEL SECURITY;

CREATE TABLE public.webhook_deliveries (
    org_id uuid NOT NULL,
    subscription_id uuid NOT NULL,
    id uuid NOT NULL,
    event_id uuid NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    trigger text NOT NULL,
    state text NOT NULL,
    attempts jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone NOT NULL,
    digest jsonb,
    CONSTRAINT webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['delivered'::text, 'failed'::text])))
)
PARTITION BY RANGE (id);

ALTER TABLE ONLY public.webhook_deliveries FORCE ROW LEVEL SECURITY;

CREATE TABLE public.webhook_pending (
    org_id uuid NOT NULL,
    subscription_id uuid NOT NULL,
    id uuid NOT NULL,
    event_id uuid NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    trigger text NOT NULL,
    ordered boolean NOT NULL,
    seq bigint DEFAULT nextval('public.event_order'::regclass) NOT NULL,
    next_attempt_at timestamp with time zone NOT NULL,
    attempts jsonb DEFAULT '[]'::jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    digest jsonb,
    CONSTRAINT webhook_pending_trigger_check CHECK ((trigger = ANY (ARRAY['event'::text, 'redelivery'::text, 'replay'::text, 'test'::text])))
)
WITH (fillfactor='80', autovacuum_vacuum_threshold='5000', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_cost_delay='0');

ALTER TABLE ONLY public.webhook_pending FORCE ROW LEVEL SECURITY;

ALTER TABLE ONLY public.run_keys ATTACH PARTITION public.run_keys_0 FOR VALUES WITH (modulus 16, remainder 0);

ALTER TABLE ONLY public.run_keys ATTACH PARTITION public.run_keys_1 FOR VALUES WITH (modulus 16, remainder 1);

ALTER TABLE ONLY public.run_keys ATTACH PARTITION public.run_keys_10 FOR VALUES WITH (modulus 16, remainder 10);

ALTER TABLE ONLY public.run_keys ATTACH PARTITION public.run_keys_11 FOR VALUES WITH (modulus 16, remainder 11);

ALTER TABLE ONLY public.run_keys ATTACH PARTITION public.run_keys_12 FOR VALUES WITH (modulus 16, remainder 12);

ALTER TABLE ONLY public.run_keys ATTACH PARTITION public.run_keys_13 FOR VALUES WITH (modulus 16, remainder 13);

ALTER TABLE ONLY public.run_keys ATTACH PARTITION public.run_keys_14 FOR VALUES WITH (modulus 16, remainder 14);

ALTER TABLE ONLY public.run_keys ATTACH PARTITION public.run_keys_15 FOR VALUES WITH (modulus 16, remainder 15);

ALTER TABLE ONLY public.run_keys ATTACH PARTITION public.run_keys_2 FOR VALUES WITH (modulus 16, remainder 2);

ALTER TABLE ONLY public.run_keys ATTACH PARTITION public.run_keys_3 FOR VALUES WITH (modulus 16, remainder 3);

ALTER TABLE ONLY public.run_keys ATTACH PARTITION public.run_keys_4 FOR VALUES WITH (modulus 16, remainder 4);

ALTER TABLE ONLY public.run_keys ATTACH PARTITION public.run_keys_5 FOR VALUES WITH (modulus 16, remainder 5);

ALTER TABLE ONLY public.run_keys ATTACH PARTITION public.run_keys_6 FOR VALUES WITH (modulus 16, remainder 6);

ALTER TABLE ONLY public.run_keys ATTACH PARTITION public.run_keys_7 FOR VALUES WITH (modulus 16, remainder 7);

ALTER TABLE ONLY public.run_keys ATTACH PARTITION public.run_keys_8 FOR VALUES WITH (modulus 16, remainder 8);

ALTER TABLE ONLY public.run_keys ATTACH PARTITION public.run_keys_9 FOR VALUES WITH (modulus 16, remainder 9);

ALTER TABLE ONLY public.runs ATTACH PARTITION public.runs_30 FOR VALUES IN ('30');

ALTER TABLE ONLY public.runs ATTACH PARTITION public.runs_3650 FOR VALUES IN ('3650');

ALTER TABLE ONLY public.runs ATTACH PARTITION public.runs_400 FOR VALUES IN ('400');

ALTER TABLE ONLY public.runs ATTACH PARTITION public.runs_7 FOR VALUES IN ('7');

ALTER TABLE ONLY public.runs ATTACH PARTITION public.runs_90 FOR VALUES IN ('90');

ALTER TABLE ONLY public.schema_migrations ALTER COLUMN id SET DEFAULT nextval('public.schema_migrations_id_seq'::regclass);

ALTER TABLE ONLY public.access_changes
    ADD CONSTRAINT access_changes_pkey PRIMARY KEY (version);

ALTER TABLE ONLY public.access_epoch
    ADD CONSTRAINT access_epoch_pkey PRIMARY KEY (singleton);

ALTER TABLE ONLY public.allowances
    ADD CONSTRAINT allowances_pkey PRIMARY KEY (org_id, key);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.approvals
    ADD CONSTRAINT approvals_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.audit_heads
    ADD CONSTRAINT audit_heads_pkey PRIMARY KEY (org_id);

ALTER TABLE ONLY public.audit_keys
    ADD CONSTRAINT audit_keys_pkey PRIMARY KEY (key_id);

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (org_id, seq, at);

ALTER TABLE ONLY public.benchmark_cohorts
    ADD CONSTRAINT benchmark_cohorts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.benchmark_members
    ADD CONSTRAINT benchmark_members_pkey PRIMARY KEY (org_id, cohort_id);

ALTER TABLE ONLY public.benchmark_periods
    ADD CONSTRAINT benchmark_periods_pkey PRIMARY KEY (cohort_id, period_start);

ALTER TABLE ONLY public.benchmark_results
    ADD CONSTRAINT benchmark_results_pkey PRIMARY KEY (cohort_id, period_start, metric);

ALTER TABLE ONLY public.benchmark_set_orgs
    ADD CONSTRAINT benchmark_set_orgs_pkey PRIMARY KEY (org_id, set_id);

ALTER TABLE ONLY public.benchmark_sets
    ADD CONSTRAINT benchmark_sets_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.chain_limits
    ADD CONSTRAINT chain_limits_pkey PRIMARY KEY (org_id, workflow_id);

ALTER TABLE ONLY public.chains
    ADD CONSTRAINT chains_pkey PRIMARY KEY (org_id, chain_id);

ALTER TABLE ONLY public.content_safety
    ADD CONSTRAINT content_safety_pkey PRIMARY KEY (org_id);

ALTER TABLE ONLY public.customer_limits
    ADD CONSTRAINT customer_limits_pkey PRIMARY KEY (org_id, customer_id);

ALTER TABLE ONLY public.decision_records
    ADD CONSTRAINT decision_records_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.deprecated_calls
    ADD CONSTRAINT deprecated_calls_pkey PRIMARY KEY (org_id, day, method, route, caller_id);

ALTER TABLE ONLY public.deprecation_announcements
    ADD CONSTRAINT deprecation_announcements_pkey PRIMARY KEY (org_id, deprecation_id);

ALTER TABLE ONLY public.dimension_settings
    ADD CONSTRAINT dimension_settings_pkey PRIMARY KEY (org_id, dimension);

ALTER TABLE ONLY public.directory_roles
    ADD CONSTRAINT directory_roles_pkey PRIMARY KEY (org_id);

ALTER TABLE ONLY public.directory_users
    ADD CONSTRAINT directory_users_pkey PRIMARY KEY (org_id, member_id);

ALTER TABLE ONLY public.eval_expiries
    ADD CONSTRAINT eval_expiries_pkey PRIMARY KEY (org_id, route_id, eval_id);

ALTER TABLE ONLY public.eval_results
    ADD CONSTRAINT eval_results_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.event_opt_ins
    ADD CONSTRAINT event_opt_ins_pkey PRIMARY KEY (org_id, kind);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.foreign_keys
    ADD CONSTRAINT foreign_keys_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.freezes
    ADD CONSTRAINT freezes_pkey PRIMARY KEY (org_id, target_kind, target_id);

ALTER TABLE ONLY public.holds
    ADD CONSTRAINT holds_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (org_id, key, day);

ALTER TABLE ONLY public.kept_days
    ADD CONSTRAINT kept_days_pkey PRIMARY KEY (parent);

ALTER TABLE ONLY public.key_reporting
    ADD CONSTRAINT key_reporting_pkey PRIMARY KEY (org_id, day, lineage_id);

ALTER TABLE ONLY public.ledger_batches
    ADD CONSTRAINT ledger_batches_pkey PRIMARY KEY (org_id, seq, at);

ALTER TABLE ONLY public.ledger_checks
    ADD CONSTRAINT ledger_checks_pkey PRIMARY KEY (org_id);

ALTER TABLE ONLY public.limit_refusals
    ADD CONSTRAINT limit_refusals_pkey PRIMARY KEY (org_id, key);

ALTER TABLE ONLY public.limits
    ADD CONSTRAINT limits_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.mail_addresses
    ADD CONSTRAINT mail_addresses_pkey PRIMARY KEY (org_id, address);

ALTER TABLE ONLY public.mail_uses
    ADD CONSTRAINT mail_uses_pkey PRIMARY KEY (org_id, subject);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.moved_ids
    ADD CONSTRAINT moved_ids_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.movement_rows
    ADD CONSTRAINT movements_pkey PRIMARY KEY (org_id, seq, idx, at);

ALTER TABLE ONLY public.nodes
    ADD CONSTRAINT nodes_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.org_ledgers
    ADD CONSTRAINT org_ledgers_pkey PRIMARY KEY (org_id);

ALTER TABLE ONLY public.org_move_changes
    ADD CONSTRAINT org_move_changes_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.org_move_sums
    ADD CONSTRAINT org_move_sums_pkey PRIMARY KEY (moved_org, table_name);

ALTER TABLE ONLY public.org_moves
    ADD CONSTRAINT org_moves_pkey PRIMARY KEY (moved_org);

ALTER TABLE ONLY public.org_rate_limits
    ADD CONSTRAINT org_rate_limits_pkey PRIMARY KEY (org_id);

ALTER TABLE ONLY public.orgs
    ADD CONSTRAINT orgs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.otlp_mappings
    ADD CONSTRAINT otlp_mappings_pkey PRIMARY KEY (org_id);

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.packs
    ADD CONSTRAINT packs_pkey PRIMARY KEY (org_id, owner, id);

ALTER TABLE ONLY public.passkey_challenges
    ADD CONSTRAINT passkey_challenges_pkey PRIMARY KEY (digest);

ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.policy_matches
    ADD CONSTRAINT policy_matches_pkey PRIMARY KEY (org_id, minute, rule_id, shadow, set_version, attempt_hash);

ALTER TABLE ONLY public.policy_rules
    ADD CONSTRAINT policy_rules_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.policy_sets
    ADD CONSTRAINT policy_sets_pkey PRIMARY KEY (org_id);

ALTER TABLE ONLY public.price_settings
    ADD CONSTRAINT price_settings_pkey PRIMARY KEY (org_id);

ALTER TABLE ONLY public.prices
    ADD CONSTRAINT prices_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.proposals
    ADD CONSTRAINT proposals_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.pruned_rows
    ADD CONSTRAINT pruned_rows_pkey PRIMARY KEY (parent);

ALTER TABLE ONLY public.rate_limit_policies
    ADD CONSTRAINT rate_limit_policies_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.reconciliations
    ADD CONSTRAINT reconciliations_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_pkey PRIMARY KEY (digest);

ALTER TABLE ONLY public.refusal_counts
    ADD CONSTRAINT refusal_counts_pkey PRIMARY KEY (org_id, day, error_code);

ALTER TABLE ONLY public.refusal_days
    ADD CONSTRAINT refusal_days_pkey PRIMARY KEY (org_id, day);

ALTER TABLE ONLY public.refusals
    ADD CONSTRAINT refusals_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.retention_policies
    ADD CONSTRAINT retention_policies_pkey PRIMARY KEY (org_id);

ALTER TABLE ONLY public.routes
    ADD CONSTRAINT routes_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.routing_models
    ADD CONSTRAINT routing_models_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.run_keys
    ADD CONSTRAINT run_keys_pkey PRIMARY KEY (org_id, key);

ALTER TABLE ONLY public.run_keys_0
    ADD CONSTRAINT run_keys_0_pkey PRIMARY KEY (org_id, key);

ALTER TABLE ONLY public.run_keys_10
    ADD CONSTRAINT run_keys_10_pkey PRIMARY KEY (org_id, key);

ALTER TABLE ONLY public.run_keys_11
    ADD CONSTRAINT run_keys_11_pkey PRIMARY KEY (org_id, key);

ALTER TABLE ONLY public.run_keys_12
    ADD CONSTRAINT run_keys_12_pkey PRIMARY KEY (org_id, key);

ALTER TABLE ONLY public.run_keys_13
    ADD CONSTRAINT run_keys_13_pkey PRIMARY KEY (org_id, key);

ALTER TABLE ONLY public.run_keys_14
    ADD CONSTRAINT run_keys_14_pkey PRIMARY KEY (org_id, key);

ALTER TABLE ONLY public.run_keys_15
    ADD CONSTRAINT run_keys_15_pkey PRIMARY KEY (org_id, key);

ALTER TABLE ONLY public.run_keys_1
    ADD CONSTRAINT run_keys_1_pkey PRIMARY KEY (org_id, key);

ALTER TABLE ONLY public.run_keys_2
    ADD CONSTRAINT run_keys_2_pkey PRIMARY KEY (org_id, key);

ALTER TABLE ONLY public.run_keys_3
    ADD CONSTRAINT run_keys_3_pkey PRIMARY KEY (org_id, key);

ALTER TABLE ONLY public.run_keys_4
    ADD CONSTRAINT run_keys_4_pkey PRIMARY KEY (org_id, key);

ALTER TABLE ONLY public.run_keys_5
    ADD CONSTRAINT run_keys_5_pkey PRIMARY KEY (org_id, key);

ALTER TABLE ONLY public.run_keys_6
    ADD CONSTRAINT run_keys_6_pkey PRIMARY KEY (org_id, key);

ALTER TABLE ONLY public.run_keys_7
    ADD CONSTRAINT run_keys_7_pkey PRIMARY KEY (org_id, key);

ALTER TABLE ONLY public.run_keys_8
    ADD CONSTRAINT run_keys_8_pkey PRIMARY KEY (org_id, key);

ALTER TABLE ONLY public.run_keys_9
    ADD CONSTRAINT run_keys_9_pkey PRIMARY KEY (org_id, key);

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (org_id, id, class);

ALTER TABLE ONLY public.runs_30
    ADD CONSTRAINT runs_30_pkey PRIMARY KEY (org_id, id, class);

ALTER TABLE ONLY public.runs_3650
    ADD CONSTRAINT runs_3650_pkey PRIMARY KEY (org_id, id, class);

ALTER TABLE ONLY public.runs_400
    ADD CONSTRAINT runs_400_pkey PRIMARY KEY (org_id, id, class);

ALTER TABLE ONLY public.runs_7
    ADD CONSTRAINT runs_7_pkey PRIMARY KEY (org_id, id, class);

ALTER TABLE ONLY public.runs_90
    ADD CONSTRAINT runs_90_pkey PRIMARY KEY (org_id, id, class);

ALTER TABLE ONLY public.schema_compatibility
    ADD CONSTRAINT schema_compatibility_pkey PRIMARY KEY (migration);

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.scim_group_members
    ADD CONSTRAINT scim_group_members_pkey PRIMARY KEY (org_id, group_id, member_id);

ALTER TABLE ONLY public.scim_groups
    ADD CONSTRAINT scim_groups_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.scim_tokens
    ADD CONSTRAINT scim_tokens_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.session_policies
    ADD CONSTRAINT session_policies_pkey PRIMARY KEY (org_id);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.sign_in_links
    ADD CONSTRAINT sign_in_links_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.slack_apps
    ADD CONSTRAINT slack_apps_pkey PRIMARY KEY (org_id);

ALTER TABLE ONLY public.slack_link_offers
    ADD CONSTRAINT slack_link_offers_org_id_slack_team_id_slack_user_id_key UNIQUE (org_id, slack_team_id, slack_user_id);

ALTER TABLE ONLY public.slack_link_offers
    ADD CONSTRAINT slack_link_offers_pkey PRIMARY KEY (org_id, digest);

ALTER TABLE ONLY public.slack_links
    ADD CONSTRAINT slack_links_org_id_member_id_key UNIQUE (org_id, member_id);

ALTER TABLE ONLY public.slack_links
    ADD CONSTRAINT slack_links_org_id_slack_team_id_slack_user_id_key UNIQUE (org_id, slack_team_id, slack_user_id);

ALTER TABLE ONLY public.slack_links
    ADD CONSTRAINT slack_links_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.slack_messages
    ADD CONSTRAINT slack_messages_pkey PRIMARY KEY (org_id, approval_id);

ALTER TABLE ONLY public.slack_requests
    ADD CONSTRAINT slack_requests_pkey PRIMARY KEY (org_id, digest);

ALTER TABLE ONLY public.sso_answers
    ADD CONSTRAINT sso_answers_pkey PRIMARY KEY (org_id, connection_id, state_digest);

ALTER TABLE ONLY public.sso_connections
    ADD CONSTRAINT sso_connections_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.sso_domains
    ADD CONSTRAINT sso_domains_org_id_domain_key UNIQUE (org_id, domain);

ALTER TABLE ONLY public.sso_domains
    ADD CONSTRAINT sso_domains_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.sso_identities
    ADD CONSTRAINT sso_identities_org_id_connection_id_member_id_key UNIQUE (org_id, connection_id, member_id);

ALTER TABLE ONLY public.sso_identities
    ADD CONSTRAINT sso_identities_pkey PRIMARY KEY (org_id, connection_id, subject);

ALTER TABLE ONLY public.sso_logouts
    ADD CONSTRAINT sso_logouts_pkey PRIMARY KEY (org_id, connection_id, digest);

ALTER TABLE ONLY public.support_grants
    ADD CONSTRAINT support_grants_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.telemetry_points
    ADD CONSTRAINT telemetry_points_pkey PRIMARY KEY (org_id, lineage_id, point);

ALTER TABLE ONLY public.telemetry_sessions
    ADD CONSTRAINT telemetry_sessions_pkey PRIMARY KEY (org_id, lineage_id, session);

ALTER TABLE ONLY public.threshold_events
    ADD CONSTRAINT threshold_events_pkey PRIMARY KEY (org_id, key, threshold);

ALTER TABLE ONLY public.trust_settings
    ADD CONSTRAINT trust_settings_pkey PRIMARY KEY (org_id, subject_id);

ALTER TABLE ONLY public.unpriced_models
    ADD CONSTRAINT unpriced_models_pkey PRIMARY KEY (org_id, model, provider);

ALTER TABLE ONLY public.usage_15m
    ADD CONSTRAINT usage_15m_pkey PRIMARY KEY (org_id, bucket, model, provider, workflow_id, deployment_id, department_id, key_id, user_id);

ALTER TABLE ONLY public.usage_customer_days
    ADD CONSTRAINT usage_customer_days_pkey PRIMARY KEY (org_id, day, customer_id);

ALTER TABLE ONLY public.usage_days
    ADD CONSTRAINT usage_days_pkey PRIMARY KEY (org_id, bucket, model, provider, workflow_id, deployment_id, department_id, key_id, user_id);

ALTER TABLE ONLY public.usage_deltas
    ADD CONSTRAINT usage_deltas_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.usage_dimension_values
    ADD CONSTRAINT usage_dimension_values_pkey PRIMARY KEY (org_id, dimension, value);

ALTER TABLE ONLY public.usage_hour_values
    ADD CONSTRAINT usage_hour_values_pkey PRIMARY KEY (org_id, dimension, bucket, value);

ALTER TABLE ONLY public.usage_hours
    ADD CONSTRAINT usage_hours_pkey PRIMARY KEY (org_id, bucket, model, provider, workflow_id, deployment_id, department_id, key_id, user_id);

ALTER TABLE ONLY public.waiting_calls
    ADD CONSTRAINT waiting_calls_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (org_id, subscription_id, id);

ALTER TABLE ONLY public.webhook_digests
    ADD CONSTRAINT webhook_digests_pkey PRIMARY KEY (org_id, subscription_id, topic);

ALTER TABLE ONLY public.webhook_org_secrets
    ADD CONSTRAINT webhook_org_secrets_pkey PRIMARY KEY (org_id);

ALTER TABLE ONLY public.webhook_pending
    ADD CONSTRAINT webhook_pending_pkey PRIMARY KEY (org_id, subscription_id, id);

ALTER TABLE ONLY public.webhook_queues
    ADD CONSTRAINT webhook_queues_pkey PRIMARY KEY (org_id, subscription_id);

ALTER TABLE ONLY public.webhook_replays
    ADD CONSTRAINT webhook_replays_pkey PRIMARY KEY (org_id, id);

ALTER TABLE ONLY public.webhook_subscriptions
    ADD CONSTRAINT webhook_subscriptions_pkey PRIMARY KEY (org_id, id);

CREATE INDEX access_changes_at ON public.access_changes USING btree (at);

CREATE INDEX allowances_limit ON public.allowances USING btree (limit_id, period_start);

CREATE INDEX api_keys_created_at ON public.api_keys USING btree (org_id, created_at, id);

CREATE UNIQUE INDEX api_keys_id ON public.api_keys USING btree (id);

CREATE INDEX api_keys_lineage ON public.api_keys USING btree (org_id, lineage_id);

CREATE INDEX api_keys_minted_by ON public.api_keys USING btree (org_id, minted_by) WHERE (minted_by IS NOT NULL);

CREATE INDEX api_keys_minted_by_member ON public.api_keys USING btree (org_id, minted_by_member) WHERE (minted_by_member IS NOT NULL);

CREATE INDEX api_keys_of_owner ON public.api_keys USING btree (org_id, owner_id) WHERE (owner_id IS NOT NULL);

CREATE INDEX api_keys_rotated_from ON public.api_keys USING btree (org_id, rotated_from) WHERE (rotated_from IS NOT NULL);

CREATE INDEX approvals_created_at ON public.approvals USING btree (org_id, created_at, id);

CREATE INDEX approvals_of_attempt ON public.approvals USING btree (org_id, rule_id, rule_version, fingerprint, id);

CREATE UNIQUE INDEX approvals_one_pending ON public.approvals USING btree (org_id, rule_id, rule_version, fingerprint) WHERE (status = 'pending'::text);

CREATE INDEX approvals_overdue ON public.approvals USING btree (expires_at) WHERE (status = ANY (ARRAY['pending'::text, 'approved'::text]));

CREATE INDEX audit_log_at ON ONLY public.audit_log USING btree (org_id, at, seq);

CREATE INDEX benchmark_cohorts_created_at ON public.benchmark_cohorts USING btree (created_at, id);

CREATE INDEX benchmark_cohorts_name ON public.benchmark_cohorts USING btree (name, id);

CREATE INDEX benchmark_members_cohort ON public.benchmark_members USING btree (cohort_id, org_id);

CREATE INDEX benchmark_set_orgs_set ON public.benchmark_set_orgs USING btree (set_id, org_id);

CREATE INDEX customer_limits_created_at ON public.customer_limits USING btree (org_id, created_at, id) WHERE (customer_id <> ''::text);

CREATE INDEX deprecated_calls_day ON public.deprecated_calls USING brin (day);

CREATE UNIQUE INDEX directory_users_name ON public.directory_users USING btree (org_id, user_name_key);

CREATE INDEX eval_results_created_at ON public.eval_results USING btree (org_id, created_at, id);

CREATE INDEX eval_results_latest ON public.eval_results USING btree (org_id, suite, model, COALESCE(provider, ''::text), measured_at DESC, id DESC);

CREATE INDEX foreign_keys_contest ON public.foreign_keys USING btree (contest_id) WHERE (contest_id IS NOT NULL);

CREATE INDEX foreign_keys_contested ON public.foreign_keys USING btree (contested_at, id) WHERE (contested_at IS NOT NULL);

CREATE INDEX foreign_keys_created ON public.foreign_keys USING btree (org_id, created_at, id);

CREATE UNIQUE INDEX foreign_keys_key ON public.foreign_keys USING btree (org_id, key_id);

CREATE UNIQUE INDEX foreign_keys_mac ON public.foreign_keys USING btree (mac, org_id);

CREATE INDEX holds_expiring ON ONLY public.holds USING btree (expires_at) WHERE (state = 'open'::text);

CREATE INDEX holds_overdue ON ONLY public.holds USING btree (org_id, expires_at) WHERE (state = 'open'::text);

CREATE INDEX holds_running ON ONLY public.holds USING btree (org_id, id) WHERE ((state = 'open'::text) AND (on_expiry = 'charge'::text));

CREATE INDEX key_reporting_day ON public.key_reporting USING brin (day);

CREATE INDEX limit_refusals_last_at ON public.limit_refusals USING brin (last_at);

CREATE INDEX limits_created_at ON public.limits USING btree (org_id, kind, created_at, id);

CREATE UNIQUE INDEX limits_one_default ON public.limits USING btree (org_id, scope_kind) WHERE ((kind = 'budget_default'::text) AND (ended_at IS NULL));

CREATE UNIQUE INDEX limits_one_plan ON public.limits USING btree (org_id, unit) WHERE ((kind = 'plan'::text) AND (ended_at IS NULL));

CREATE UNIQUE INDEX limits_one_spend_cap ON public.limits USING btree (org_id) WHERE ((kind = 'spend_cap'::text) AND (ended_at IS NULL));

CREATE INDEX mail_addresses_due ON public.mail_addresses USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX mail_addresses_unconfirmed ON public.mail_addresses USING btree (created_at) WHERE (confirmed_at IS NULL);

CREATE INDEX memberships_created ON public.memberships USING btree (org_id, created_at, id);

CREATE UNIQUE INDEX memberships_email ON public.memberships USING btree (org_id, email_key) WHERE (removed_at IS NULL);

CREATE INDEX memberships_external ON public.memberships USING btree (org_id, external_id) WHERE (external_id IS NOT NULL);

CREATE UNIQUE INDEX memberships_id ON public.memberships USING btree (id);

CREATE INDEX memberships_of_anybody ON public.memberships USING btree (person_id);

CREATE UNIQUE INDEX memberships_person ON public.memberships USING btree (org_id, person_id) WHERE (removed_at IS NULL);

CREATE INDEX memberships_removed ON public.memberships USING btree (removed_at) WHERE (removed_at IS NOT NULL);

CREATE INDEX movements_at ON ONLY public.movement_rows USING brin (at);

CREATE INDEX nodes_lease_until ON public.nodes USING btree (lease_until);

CREATE INDEX org_move_changes_in_order ON public.org_move_changes USING btree (moved_org, id);

CREATE UNIQUE INDEX org_moves_underway ON public.org_moves USING btree (cell) WHERE ((direction = 'out'::text) AND (state = ANY (ARRAY['copying'::text, 'frozen'::text, 'moved'::text])));

CREATE INDEX orgs_created_at ON public.orgs USING btree (created_at, id);

CREATE INDEX orgs_name ON public.orgs USING btree (name, id);

CREATE UNIQUE INDEX outbox_in_order ON public.outbox USING btree (seq);

CREATE INDEX packs_created_at ON public.packs USING btree (org_id, owner, created_at, id);

CREATE UNIQUE INDEX packs_id ON public.packs USING btree (id);

CREATE INDEX packs_of_customers ON public.packs USING btree (org_id, created_at, id) WHERE (owner <> ''::text);

CREATE INDEX passkey_challenges_end ON public.passkey_challenges USING brin (expires_at);

CREATE UNIQUE INDEX passkeys_credential ON public.passkeys USING btree (credential_id);

CREATE INDEX passkeys_person ON public.passkeys USING btree (person_id, created_at, id);

CREATE INDEX policy_matches_rule ON ONLY public.policy_matches USING btree (org_id, rule_id, minute);

CREATE INDEX policy_rules_order ON public.policy_rules USING btree (org_id, priority, id);

CREATE UNIQUE INDEX prices_of_model ON public.prices USING btree (org_id, model, provider, effective_from);

CREATE INDEX proposals_created_at ON public.proposals USING btree (org_id, created_at, id);

CREATE INDEX proposals_ended ON public.proposals USING btree (updated_at);

CREATE INDEX proposals_of_key ON public.proposals USING btree (org_id, requested_by, fingerprint, id);

CREATE INDEX proposals_pending ON public.proposals USING btree (org_id, expires_at) WHERE (status = 'pending'::text);

CREATE INDEX reconciliations_created_at ON public.reconciliations USING btree (org_id, created_at, id);

CREATE INDEX recovery_codes_person ON public.recovery_codes USING btree (person_id);

CREATE INDEX refusal_counts_day ON public.refusal_counts USING brin (day);

CREATE INDEX refusal_days_day ON public.refusal_days USING brin (day);

CREATE INDEX refusals_chain ON ONLY public.refusals USING btree (org_id, chain_id, id) WHERE (chain_id IS NOT NULL);

CREATE INDEX refusals_decided_by ON ONLY public.refusals USING btree (org_id, decided_by, id);

CREATE INDEX routes_created_at ON public.routes USING btree (org_id, created_at, id);

CREATE UNIQUE INDEX routes_name ON public.routes USING btree (org_id, name);

CREATE INDEX routing_models_created_at ON public.routing_models USING btree (org_id, created_at, id);

CREATE UNIQUE INDEX routing_models_name ON public.routing_models USING btree (org_id, model, COALESCE(provider, ''::text));

CREATE INDEX run_keys_seen_on ON ONLY public.run_keys USING brin (seen_on);

CREATE INDEX run_keys_0_seen_on_idx ON public.run_keys_0 USING brin (seen_on);

CREATE INDEX run_keys_10_seen_on_idx ON public.run_keys_10 USING brin (seen_on);

CREATE INDEX run_keys_11_seen_on_idx ON public.run_keys_11 USING brin (seen_on);

CREATE INDEX run_keys_12_seen_on_idx ON public.run_keys_12 USING brin (seen_on);

CREATE INDEX run_keys_13_seen_on_idx ON public.run_keys_13 USING brin (seen_on);

CREATE INDEX run_keys_14_seen_on_idx ON public.run_keys_14 USING brin (seen_on);

CREATE INDEX run_keys_15_seen_on_idx ON public.run_keys_15 USING brin (seen_on);

CREATE INDEX run_keys_1_seen_on_idx ON public.run_keys_1 USING brin (seen_on);

CREATE INDEX run_keys_2_seen_on_idx ON public.run_keys_2 USING brin (seen_on);

CREATE INDEX run_keys_3_seen_on_idx ON public.run_keys_3 USING brin (seen_on);

CREATE INDEX run_keys_4_seen_on_idx ON public.run_keys_4 USING brin (seen_on);

CREATE INDEX run_keys_5_seen_on_idx ON public.run_keys_5 USING brin (seen_on);

CREATE INDEX run_keys_6_seen_on_idx ON public.run_keys_6 USING brin (seen_on);

CREATE INDEX run_keys_7_seen_on_idx ON public.run_keys_7 USING brin (seen_on);

CREATE INDEX run_keys_8_seen_on_idx ON public.run_keys_8 USING brin (seen_on);

CREATE INDEX run_keys_9_seen_on_idx ON public.run_keys_9 USING brin (seen_on);

CREATE INDEX runs_chain ON ONLY public.runs USING btree (org_id, chain_id, id) WHERE (chain_id IS NOT NULL);

CREATE INDEX runs_30_org_id_chain_id_id_idx ON ONLY public.runs_30 USING btree (org_id, chain_id, id) WHERE (chain_id IS NOT NULL);

CREATE INDEX runs_cost ON ONLY public.runs USING btree (org_id, cost_nano, id);

CREATE INDEX runs_30_org_id_cost_nano_id_idx ON ONLY public.runs_30 USING btree (org_id, cost_nano, id);

CREATE INDEX runs_customer ON ONLY public.runs USING btree (org_id, customer_id, id) WHERE (customer_id IS NOT NULL);

CREATE INDEX runs_30_org_id_customer_id_id_idx ON ONLY public.runs_30 USING btree (org_id, customer_id, id) WHERE (customer_id IS NOT NULL);

CREATE INDEX runs_3650_org_id_chain_id_id_idx ON ONLY public.runs_3650 USING btree (org_id, chain_id, id) WHERE (chain_id IS NOT NULL);

CREATE INDEX runs_3650_org_id_cost_nano_id_idx ON ONLY public.runs_3650 USING btree (org_id, cost_nano, id);

CREATE INDEX runs_3650_org_id_customer_id_id_idx ON ONLY public.runs_3650 USING btree (org_id, customer_id, id) WHERE (customer_id IS NOT NULL);

CREATE INDEX runs_400_org_id_chain_id_id_idx ON ONLY public.runs_400 USING btree (org_id, chain_id, id) WHERE (chain_id IS NOT NULL);

CREATE INDEX runs_400_org_id_cost_nano_id_idx ON ONLY public.runs_400 USING btree (org_id, cost_nano, id);

CREATE INDEX runs_400_org_id_customer_id_id_idx ON ONLY public.runs_400 USING btree (org_id, customer_id, id) WHERE (customer_id IS NOT NULL);

CREATE INDEX runs_7_org_id_chain_id_id_idx ON ONLY public.runs_7 USING btree (org_id, chain_id, id) WHERE (chain_id IS NOT NULL);

CREATE INDEX runs_7_org_id_cost_nano_id_idx ON ONLY public.runs_7 USING btree (org_id, cost_nano, id);

CREATE INDEX runs_7_org_id_customer_id_id_idx ON ONLY public.runs_7 USING btree (org_id, customer_id, id) WHERE (customer_id IS NOT NULL);

CREATE INDEX runs_90_org_id_chain_id_id_idx ON ONLY public.runs_90 USING btree (org_id, chain_id, id) WHERE (chain_id IS NOT NULL);

CREATE INDEX runs_90_org_id_cost_nano_id_idx ON ONLY public.runs_90 USING btree (org_id, cost_nano, id);

CREATE INDEX runs_90_org_id_customer_id_id_idx ON ONLY public.runs_90 USING btree (org_id, customer_id, id) WHERE (customer_id IS NOT NULL);

CREATE INDEX scim_group_members_member ON public.scim_group_members USING btree (org_id, member_id);

CREATE UNIQUE INDEX scim_groups_name ON public.scim_groups USING btree (org_id, name_key);

CREATE INDEX scim_tokens_created ON public.scim_tokens USING btree (org_id, created_at, id);

CREATE UNIQUE INDEX scim_tokens_id ON public.scim_tokens USING btree (id);

CREATE INDEX scim_tokens_revoked ON public.scim_tokens USING btree (revoked_at) WHERE (revoked_at IS NOT NULL);

CREATE INDEX sessions_end ON public.sessions USING btree (expires_at);

CREATE UNIQUE INDEX sessions_id ON public.sessions USING btree (id);

CREATE INDEX sessions_owner ON public.sessions USING btree (org_id, COALESCE(key_id, grant_id, member_id), created_at, id);

CREATE INDEX sign_in_links_end ON public.sign_in_links USING brin (expires_at);

CREATE UNIQUE INDEX sign_in_links_id ON public.sign_in_links USING btree (id);

CREATE INDEX sign_in_links_owner ON public.sign_in_links USING btree (org_id, COALESCE(key_id, grant_id, member_id), created_at, id);

CREATE INDEX slack_apps_due ON public.slack_apps USING btree (due_at) WHERE enabled;

CREATE INDEX slack_link_offers_expires ON public.slack_link_offers USING btree (expires_at);

CREATE INDEX slack_links_created ON public.slack_links USING btree (org_id, created_at, id);

CREATE INDEX slack_messages_due ON public.slack_messages USING btree (org_id, due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX slack_messages_updated ON public.slack_messages USING btree (updated_at);

CREATE INDEX slack_requests_taken ON public.slack_requests USING btree (taken_at);

CREATE INDEX sso_answers_end ON public.sso_answers USING brin (expires_at);

CREATE INDEX sso_connections_created ON public.sso_connections USING btree (org_id, created_at, id);

CREATE UNIQUE INDEX sso_connections_id ON public.sso_connections USING btree (id);

CREATE INDEX sso_domains_connection ON public.sso_domains USING btree (org_id, connection_id);

CREATE INDEX sso_domains_created ON public.sso_domains USING btree (org_id, created_at, id);

CREATE UNIQUE INDEX sso_domains_verified ON public.sso_domains USING btree (domain) WHERE (verified_at IS NOT NULL);

CREATE INDEX sso_identities_member ON public.sso_identities USING btree (org_id, member_id);

CREATE INDEX sso_logouts_end ON public.sso_logouts USING brin (expires_at);

CREATE INDEX support_grants_created_at ON public.support_grants USING btree (org_id, created_at, id);

CREATE UNIQUE INDEX support_grants_id ON public.support_grants USING btree (id);

CREATE INDEX support_grants_open ON public.support_grants USING btree (expires_at) WHERE (closed_at IS NULL);

CREATE INDEX support_grants_operator_key ON public.support_grants USING btree (operator_key_id);

CREATE INDEX telemetry_points_claim ON public.telemetry_points USING btree (org_id, claim) WHERE (claim IS NOT NULL);

CREATE INDEX telemetry_points_of_org ON public.telemetry_points USING btree (org_id, touched_at) WHERE (counted < value);

CREATE INDEX telemetry_points_open ON public.telemetry_points USING btree (touched_at) WHERE (counted < value);

CREATE INDEX telemetry_points_session ON public.telemetry_points USING btree (org_id, lineage_id, session) WHERE (counted < value);

CREATE INDEX telemetry_sessions_seen ON public.telemetry_sessions USING brin (seen_on);

CREATE INDEX threshold_events_at ON public.threshold_events USING brin (at);

CREATE INDEX usage_customer_days_day ON public.usage_customer_days USING brin (day);

CREATE INDEX usage_days_bucket ON public.usage_days USING brin (bucket);

CREATE INDEX usage_dimension_values_first_seen_on ON public.usage_dimension_values USING btree (org_id, dimension, first_seen_on);

CREATE INDEX usage_dimension_values_last_seen_on ON public.usage_dimension_values USING brin (last_seen_on);

CREATE INDEX waiting_calls_due ON public.waiting_calls USING btree (due_at);

CREATE INDEX waiting_calls_of_org ON public.waiting_calls USING btree (org_id, due_at);

CREATE INDEX webhook_digests_closing ON public.webhook_digests USING btree (closes_at);

CREATE INDEX webhook_digests_of_org ON public.webhook_digests USING btree (org_id, closes_at);

CREATE INDEX webhook_pending_due ON public.webhook_pending USING btree (org_id, subscription_id, next_attempt_at, seq);

CREATE INDEX webhook_pending_subject ON public.webhook_pending USING btree (org_id, subscription_id, subject, seq) WHERE ordered;

CREATE INDEX webhook_queues_due ON public.webhook_queues USING btree (troubled, due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX webhook_replays_listed ON public.webhook_replays USING btree (org_id, subscription_id, id);

CREATE INDEX webhook_replays_waiting ON public.webhook_replays USING btree (id) WHERE (finished_at IS NULL);

CREATE INDEX webhook_subscriptions_of_grants ON public.webhook_subscriptions USING btree (org_id, created_by_grant) WHERE (created_by_grant IS NOT NULL);

ALTER INDEX public.run_keys_pkey ATTACH PARTITION public.run_keys_0_pkey;

ALTER INDEX public.run_keys_seen_on ATTACH PARTITION public.run_keys_0_seen_on_idx;

ALTER INDEX public.run_keys_pkey ATTACH PARTITION public.run_keys_10_pkey;

ALTER INDEX public.run_keys_seen_on ATTACH PARTITION public.run_keys_10_seen_on_idx;

ALTER INDEX public.run_keys_pkey ATTACH PARTITION public.run_keys_11_pkey;

ALTER INDEX public.run_keys_seen_on ATTACH PARTITION public.run_keys_11_seen_on_idx;

ALTER INDEX public.run_keys_pkey ATTACH PARTITION public.run_keys_12_pkey;

ALTER INDEX public.run_keys_seen_on ATTACH PARTITION public.run_keys_12_seen_on_idx;

ALTER INDEX public.run_keys_pkey ATTACH PARTITION public.run_keys_13_pkey;

ALTER INDEX public.run_keys_seen_on ATTACH PARTITION public.run_keys_13_seen_on_idx;

ALTER INDEX public.run_keys_pkey ATTACH PARTITION public.run_keys_14_pkey;

ALTER INDEX public.run_keys_seen_on ATTACH PARTITION public.run_keys_14_seen_on_idx;

ALTER INDEX public.run_keys_pkey ATTACH PARTITION public.run_keys_15_pkey;

ALTER INDEX public.run_keys_seen_on ATTACH PARTITION public.run_keys_15_seen_on_idx;

ALTER INDEX public.run_keys_pkey ATTACH PARTITION public.run_keys_1_pkey;

ALTER INDEX public.run_keys_seen_on ATTACH PARTITION public.run_keys_1_seen_on_idx;

ALTER INDEX public.run_keys_pkey ATTACH PARTITION public.run_keys_2_pkey;

ALTER INDEX public.run_keys_seen_on ATTACH PARTITION public.run_keys_2_seen_on_idx;

ALTER INDEX public.run_keys_pkey ATTACH PARTITION public.run_keys_3_pkey;

ALTER INDEX public.run_keys_seen_on ATTACH PARTITION public.run_keys_3_seen_on_idx;

ALTER INDEX public.run_keys_pkey ATTACH PARTITION public.run_keys_4_pkey;

ALTER INDEX public.run_keys_seen_on ATTACH PARTITION public.run_keys_4_seen_on_idx;

ALTER INDEX public.run_keys_pkey ATTACH PARTITION public.run_keys_5_pkey;

ALTER INDEX public.run_keys_seen_on ATTACH PARTITION public.run_keys_5_seen_on_idx;

ALTER INDEX public.run_keys_pkey ATTACH PARTITION public.run_keys_6_pkey;

ALTER INDEX public.run_keys_seen_on ATTACH PARTITION public.run_keys_6_seen_on_idx;

ALTER INDEX public.run_keys_pkey ATTACH PARTITION public.run_keys_7_pkey;

ALTER INDEX public.run_keys_seen_on ATTACH PARTITION public.run_keys_7_seen_on_idx;

ALTER INDEX public.run_keys_pkey ATTACH PARTITION public.run_keys_8_pkey;

ALTER INDEX public.run_keys_seen_on ATTACH PARTITION public.run_keys_8_seen_on_idx;

ALTER INDEX public.run_keys_pkey ATTACH PARTITION public.run_keys_9_pkey;

ALTER INDEX public.run_keys_seen_on ATTACH PARTITION public.run_keys_9_seen_on_idx;

ALTER INDEX public.runs_chain ATTACH PARTITION public.runs_30_org_id_chain_id_id_idx;

ALTER INDEX public.runs_cost ATTACH PARTITION public.runs_30_org_id_cost_nano_id_idx;

ALTER INDEX public.runs_customer ATTACH PARTITION public.runs_30_org_id_customer_id_id_idx;

ALTER INDEX public.runs_pkey ATTACH PARTITION public.runs_30_pkey;

ALTER INDEX public.runs_chain ATTACH PARTITION public.runs_3650_org_id_chain_id_id_idx;

ALTER INDEX public.runs_cost ATTACH PARTITION public.runs_3650_org_id_cost_nano_id_idx;

ALTER INDEX public.runs_customer ATTACH PARTITION public.runs_3650_org_id_customer_id_id_idx;

ALTER INDEX public.runs_pkey ATTACH PARTITION public.runs_3650_pkey;

ALTER INDEX public.runs_chain ATTACH PARTITION public.runs_400_org_id_chain_id_id_idx;

ALTER INDEX public.runs_cost ATTACH PARTITION public.runs_400_org_id_cost_nano_id_idx;

ALTER INDEX public.runs_customer ATTACH PARTITION public.runs_400_org_id_customer_id_id_idx;

ALTER INDEX public.runs_pkey ATTACH PARTITION public.runs_400_pkey;

ALTER INDEX public.runs_chain ATTACH PARTITION public.runs_7_org_id_chain_id_id_idx;

ALTER INDEX public.runs_cost ATTACH PARTITION public.runs_7_org_id_cost_nano_id_idx;

ALTER INDEX public.runs_customer ATTACH PARTITION public.runs_7_org_id_customer_id_id_idx;

ALTER INDEX public.runs_pkey ATTACH PARTITION public.runs_7_pkey;

ALTER INDEX public.runs_chain ATTACH PARTITION public.runs_90_org_id_chain_id_id_idx;

ALTER INDEX public.runs_cost ATTACH PARTITION public.runs_90_org_id_cost_nano_id_idx;

ALTER INDEX public.runs_customer ATTACH PARTITION public.runs_90_org_id_customer_id_id_idx;

ALTER INDEX public.runs_pkey ATTACH PARTITION public.runs_90_pkey;

CREATE TRIGGER fill_lineage BEFORE INSERT ON public.api_keys FOR EACH ROW EXECUTE FUNCTION public.fill_key_lineage();

CREATE TRIGGER insert_row INSTEAD OF INSERT ON public.movements FOR EACH ROW EXECUTE FUNCTION public.insert_movement_row();

CREATE TRIGGER keep_hour_values_of_deleted AFTER DELETE ON public.usage_15m REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.keep_usage_hour_values();

CREATE TRIGGER keep_hour_values_of_inserted AFTER INSERT ON public.usage_15m REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.keep_usage_hour_values();

CREATE TRIGGER keep_hour_values_of_updated AFTER UPDATE ON public.usage_15m REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.keep_usage_hour_values();

CREATE TRIGGER keep_hours_of_deleted AFTER DELETE ON public.usage_15m REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.keep_usage_hours();

CREATE TRIGGER keep_hours_of_inserted AFTER INSERT ON public.usage_15m REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.keep_usage_hours();

CREATE TRIGGER keep_hours_of_updated AFTER UPDATE ON public.usage_15m REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.keep_usage_hours();

CREATE TRIGGER refuse_ungated_move BEFORE INSERT ON public.org_moves FOR EACH ROW WHEN ((NOT public.organizations_are_gated())) EXECUTE FUNCTION public.refuse_ungated_move();

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.approvals
    ADD CONSTRAINT approvals_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.benchmark_members
    ADD CONSTRAINT benchmark_members_cohort_id_fkey FOREIGN KEY (cohort_id) REFERENCES public.benchmark_cohorts(id);

ALTER TABLE ONLY public.benchmark_members
    ADD CONSTRAINT benchmark_members_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.benchmark_periods
    ADD CONSTRAINT benchmark_periods_cohort_id_fkey FOREIGN KEY (cohort_id) REFERENCES public.benchmark_cohorts(id);

ALTER TABLE ONLY public.benchmark_results
    ADD CONSTRAINT benchmark_results_cohort_id_period_start_fkey FOREIGN KEY (cohort_id, period_start) REFERENCES public.benchmark_periods(cohort_id, period_start);

ALTER TABLE ONLY public.benchmark_results
    ADD CONSTRAINT benchmark_results_set_id_fkey FOREIGN KEY (set_id) REFERENCES public.benchmark_sets(id);

ALTER TABLE ONLY public.benchmark_set_orgs
    ADD CONSTRAINT benchmark_set_orgs_set_id_fkey FOREIGN KEY (set_id) REFERENCES public.benchmark_sets(id);

ALTER TABLE ONLY public.chain_limits
    ADD CONSTRAINT chain_limits_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.content_safety
    ADD CONSTRAINT content_safety_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.customer_limits
    ADD CONSTRAINT customer_limits_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.deprecated_calls
    ADD CONSTRAINT deprecated_calls_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.deprecation_announcements
    ADD CONSTRAINT deprecation_announcements_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.dimension_settings
    ADD CONSTRAINT dimension_settings_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.directory_roles
    ADD CONSTRAINT directory_roles_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.directory_users
    ADD CONSTRAINT directory_users_org_id_member_id_fkey FOREIGN KEY (org_id, member_id) REFERENCES public.memberships(org_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.eval_expiries
    ADD CONSTRAINT eval_expiries_org_id_route_id_fkey FOREIGN KEY (org_id, route_id) REFERENCES public.routes(org_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.eval_results
    ADD CONSTRAINT eval_results_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.event_opt_ins
    ADD CONSTRAINT event_opt_ins_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.foreign_keys
    ADD CONSTRAINT foreign_keys_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.foreign_keys
    ADD CONSTRAINT foreign_keys_org_id_key_id_fkey FOREIGN KEY (org_id, key_id) REFERENCES public.api_keys(org_id, id);

ALTER TABLE ONLY public.freezes
    ADD CONSTRAINT freezes_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.key_reporting
    ADD CONSTRAINT key_reporting_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.limits
    ADD CONSTRAINT limits_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.org_rate_limits
    ADD CONSTRAINT org_rate_limits_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.otlp_mappings
    ADD CONSTRAINT otlp_mappings_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.packs
    ADD CONSTRAINT packs_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.policy_rules
    ADD CONSTRAINT policy_rules_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.policy_sets
    ADD CONSTRAINT policy_sets_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.price_settings
    ADD CONSTRAINT price_settings_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.prices
    ADD CONSTRAINT prices_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.proposals
    ADD CONSTRAINT proposals_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.rate_limit_policies
    ADD CONSTRAINT rate_limit_policies_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.reconciliations
    ADD CONSTRAINT reconciliations_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.retention_policies
    ADD CONSTRAINT retention_policies_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.routes
    ADD CONSTRAINT routes_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.routing_models
    ADD CONSTRAINT routing_models_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.scim_group_members
    ADD CONSTRAINT scim_group_members_org_id_group_id_fkey FOREIGN KEY (org_id, group_id) REFERENCES public.scim_groups(org_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.scim_group_members
    ADD CONSTRAINT scim_group_members_org_id_member_id_fkey FOREIGN KEY (org_id, member_id) REFERENCES public.memberships(org_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.scim_groups
    ADD CONSTRAINT scim_groups_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.scim_tokens
    ADD CONSTRAINT scim_tokens_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.session_policies
    ADD CONSTRAINT session_policies_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.sign_in_links
    ADD CONSTRAINT sign_in_links_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.slack_apps
    ADD CONSTRAINT slack_apps_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.slack_link_offers
    ADD CONSTRAINT slack_link_offers_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.slack_apps(org_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.slack_links
    ADD CONSTRAINT slack_links_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.slack_apps(org_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.slack_links
    ADD CONSTRAINT slack_links_org_id_member_id_fkey FOREIGN KEY (org_id, member_id) REFERENCES public.memberships(org_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.slack_messages
    ADD CONSTRAINT slack_messages_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.slack_apps(org_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.slack_requests
    ADD CONSTRAINT slack_requests_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.slack_apps(org_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sso_answers
    ADD CONSTRAINT sso_answers_org_id_connection_id_fkey FOREIGN KEY (org_id, connection_id) REFERENCES public.sso_connections(org_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sso_answers
    ADD CONSTRAINT sso_answers_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.sso_connections
    ADD CONSTRAINT sso_connections_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.sso_domains
    ADD CONSTRAINT sso_domains_org_id_connection_id_fkey FOREIGN KEY (org_id, connection_id) REFERENCES public.sso_connections(org_id, id) ON DELETE SET NULL (connection_id);

ALTER TABLE ONLY public.sso_domains
    ADD CONSTRAINT sso_domains_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.sso_identities
    ADD CONSTRAINT sso_identities_org_id_connection_id_fkey FOREIGN KEY (org_id, connection_id) REFERENCES public.sso_connections(org_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sso_identities
    ADD CONSTRAINT sso_identities_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.sso_logouts
    ADD CONSTRAINT sso_logouts_org_id_connection_id_fkey FOREIGN KEY (org_id, connection_id) REFERENCES public.sso_connections(org_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sso_logouts
    ADD CONSTRAINT sso_logouts_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.support_grants
    ADD CONSTRAINT support_grants_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.telemetry_points
    ADD CONSTRAINT telemetry_points_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.telemetry_sessions
    ADD CONSTRAINT telemetry_sessions_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.trust_settings
    ADD CONSTRAINT trust_settings_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.unpriced_models
    ADD CONSTRAINT unpriced_models_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.waiting_calls
    ADD CONSTRAINT waiting_calls_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.webhook_digests
    ADD CONSTRAINT webhook_digests_org_id_subscription_id_fkey FOREIGN KEY (org_id, subscription_id) REFERENCES public.webhook_subscriptions(org_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook_org_secrets
    ADD CONSTRAINT webhook_org_secrets_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE ONLY public.webhook_queues
    ADD CONSTRAINT webhook_queues_org_id_subscription_id_fkey FOREIGN KEY (org_id, subscription_id) REFERENCES public.webhook_subscriptions(org_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook_replays
    ADD CONSTRAINT webhook_replays_org_id_subscription_id_fkey FOREIGN KEY (org_id, subscription_id) REFERENCES public.webhook_subscriptions(org_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook_subscriptions
    ADD CONSTRAINT webhook_subscriptions_org_id_fkey FOREIGN KEY (org_id) REFERENCES public.orgs(id);

ALTER TABLE public.allowances ENABLE ROW LEVEL SECURITY;

CREATE POLICY announcing ON public.deprecation_announcements FOR SELECT TO postgres USING (true);

CREATE POLICY announcing ON public.webhook_subscriptions FOR SELECT TO postgres USING (true);

ALTER TABLE public.api_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.approvals ENABLE ROW LEVEL SECURITY;

CREATE POLICY attributing ON public.usage_customer_days FOR SELECT TO postgres USING (true);

ALTER TABLE public.audit_heads ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.audit_log ENABLE ROW LEVEL SECURITY;

CREATE POLICY authentication ON public.api_keys FOR SELECT TO postgres USING (true);

CREATE POLICY authentication ON public.foreign_keys FOR SELECT TO postgres USING (true);

CREATE POLICY authentication ON public.memberships TO postgres USING (true);

CREATE POLICY authentication ON public.org_rate_limits FOR SELECT TO postgres USING (true);

CREATE POLICY authentication ON public.orgs FOR SELECT TO postgres USING (true);

CREATE POLICY authentication ON public.rate_limit_policies FOR SELECT TO postgres USING (true);

CREATE POLICY authentication ON public.scim_tokens TO postgres USING (true);

CREATE POLICY authentication ON public.session_policies FOR SELECT TO postgres USING (true);

CREATE POLICY authentication ON public.sessions TO postgres USING (true);

CREATE POLICY authentication ON public.sign_in_links TO postgres USING (true);

CREATE POLICY authentication ON public.sso_connections FOR SELECT TO postgres USING (true);

CREATE POLICY authentication ON public.sso_domains FOR SELECT TO postgres USING (true);

CREATE POLICY authentication ON public.support_grants FOR SELECT TO postgres USING (true);

ALTER TABLE public.benchmark_members ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.benchmark_set_orgs ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.chain_limits ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.chains ENABLE ROW LEVEL SECURITY;

CREATE POLICY checking ON public.ledger_checks FOR SELECT TO postgres USING (true);

CREATE POLICY checking ON public.org_ledgers FOR SELECT TO postgres USING (true);

CREATE POLICY closing ON public.webhook_digests FOR SELECT TO postgres USING (true);

ALTER TABLE public.content_safety ENABLE ROW LEVEL SECURITY;

CREATE POLICY contesting ON public.foreign_keys FOR UPDATE TO postgres USING (true) WITH CHECK (true);

ALTER TABLE public.customer_limits ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.decision_records ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.deprecated_calls ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.deprecation_announcements ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.dimension_settings ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.directory_roles ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.directory_users ENABLE ROW LEVEL SECURITY;

CREATE POLICY dispatching ON public.slack_apps TO postgres USING (true);

CREATE POLICY dispatching ON public.webhook_queues TO postgres USING (true);

CREATE POLICY draining ON public.outbox TO postgres USING (true);

CREATE POLICY due ON public.mail_addresses FOR SELECT TO postgres USING (true);

ALTER TABLE public.eval_expiries ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.eval_results ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_opt_ins ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.events ENABLE ROW LEVEL SECURITY;

CREATE POLICY expiring ON public.approvals FOR SELECT TO postgres USING (true);

CREATE POLICY folding ON public.usage_15m FOR SELECT TO postgres USING (true);

CREATE POLICY folding ON public.usage_deltas FOR SELECT TO postgres USING (true);

ALTER TABLE public.foreign_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.freezes ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.holds ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.idempotency_keys ENABLE ROW LEVEL SECURITY;

CREATE POLICY installation ON public.price_settings FOR SELECT TO postgres USING ((org_id = '00000000-0000-0000-0000-000000000000'::uuid));

CREATE POLICY installation ON public.prices FOR SELECT TO postgres USING ((org_id = '00000000-0000-0000-0000-000000000000'::uuid));

CREATE POLICY keeping ON public.retention_policies FOR SELECT TO postgres USING (true);

ALTER TABLE public.key_reporting ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.ledger_batches ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.ledger_checks ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.limit_refusals ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.limits ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.mail_addresses ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.mail_uses ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.memberships ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.movement_rows ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.org_ledgers ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.org_rate_limits ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.orgs ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.otlp_mappings ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.outbox ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.packs ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.policy_matches ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.policy_rules ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.policy_sets ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.price_settings ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.prices ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.proposals ENABLE ROW LEVEL SECURITY;

CREATE POLICY pruning ON public.allowances TO postgres USING (true);

CREATE POLICY pruning ON public.approvals TO postgres USING (true);

CREATE POLICY pruning ON public.chains TO postgres USING (true);

CREATE POLICY pruning ON public.deprecated_calls TO postgres USING (true);

CREATE POLICY pruning ON public.eval_expiries TO postgres USING (true);

CREATE POLICY pruning ON public.eval_results TO postgres USING (true);

CREATE POLICY pruning ON public.key_reporting TO postgres USING (true);

CREATE POLICY pruning ON public.ledger_batches FOR SELECT TO postgres USING (true);

CREATE POLICY pruning ON public.limit_refusals TO postgres USING (true);

CREATE POLICY pruning ON public.limits TO postgres USING (true);

CREATE POLICY pruning ON public.mail_addresses TO postgres USING (true);

CREATE POLICY pruning ON public.org_ledgers FOR UPDATE TO postgres USING (true);

CREATE POLICY pruning ON public.packs TO postgres USING (true);

CREATE POLICY pruning ON public.proposals TO postgres USING (true);

CREATE POLICY pruning ON public.reconciliations TO postgres USING (true);

CREATE POLICY pruning ON public.refusal_counts TO postgres USING (true);

CREATE POLICY pruning ON public.refusal_days TO postgres USING (true);

CREATE POLICY pruning ON public.run_keys TO postgres USING (true);

CREATE POLICY pruning ON public.slack_link_offers TO postgres USING (true);

CREATE POLICY pruning ON public.slack_messages TO postgres USING (true);

CREATE POLICY pruning ON public.slack_requests TO postgres USING (true);

CREATE POLICY pruning ON public.sso_answers TO postgres USING (true);

CREATE POLICY pruning ON public.sso_identities TO postgres USING (true);

CREATE POLICY pruning ON public.sso_logouts TO postgres USING (true);

CREATE POLICY pruning ON public.support_grants TO postgres USING (true);

CREATE POLICY pruning ON public.telemetry_points TO postgres USING (true);

CREATE POLICY pruning ON public.telemetry_sessions TO postgres USING (true);

CREATE POLICY pruning ON public.threshold_events TO postgres USING (true);

CREATE POLICY pruning ON public.unpriced_models TO postgres USING (true);

CREATE POLICY pruning ON public.usage_customer_days TO postgres USING (true);

CREATE POLICY pruning ON public.usage_days TO postgres USING (true);

CREATE POLICY pruning ON public.usage_dimension_values TO postgres USING (true);

CREATE POLICY pruning ON public.webhook_pending TO postgres USING (true);

CREATE POLICY pruning ON public.webhook_replays TO postgres USING (true);

CREATE POLICY publishing ON public.benchmark_members FOR SELECT TO postgres USING (true);

CREATE POLICY publishing ON public.benchmark_set_orgs TO postgres USING (true);

CREATE POLICY publishing ON public.refusal_counts FOR SELECT TO postgres USING (true);

CREATE POLICY publishing ON public.usage_days FOR SELECT TO postgres USING (true);

ALTER TABLE public.rate_limit_policies ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON public.waiting_calls FOR SELECT TO postgres USING (true);

ALTER TABLE public.reconciliations ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.refusal_counts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.refusal_days ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.refusals ENABLE ROW LEVEL SECURITY;

CREATE POLICY rehashing ON public.support_grants FOR UPDATE TO postgres USING (true) WITH CHECK (true);

CREATE POLICY rekeying ON public.audit_heads FOR SELECT TO postgres USING (true);

CREATE POLICY rekeying ON public.webhook_org_secrets FOR SELECT TO postgres USING (true);

CREATE POLICY rekeying ON public.webhook_subscriptions FOR SELECT TO postgres USING (true);

CREATE POLICY replaying ON public.webhook_replays FOR SELECT TO postgres USING (true);

ALTER TABLE public.retention_policies ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.routes ENABLE ROW LEVEL SECURITY;

CREATE POLICY routing ON public.routes FOR SELECT TO postgres USING (true);

ALTER TABLE public.routing_models ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_keys_0 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_keys_1 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_keys_10 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_keys_11 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_keys_12 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_keys_13 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_keys_14 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_keys_15 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_keys_2 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_keys_3 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_keys_4 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_keys_5 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_keys_6 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_keys_7 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_keys_8 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.run_keys_9 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.runs ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.runs_30 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.runs_3650 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.runs_400 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.runs_7 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.runs_90 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.scim_group_members ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.scim_groups ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.scim_tokens ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.session_policies ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sessions ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sign_in_links ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.slack_apps ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.slack_link_offers ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.slack_links ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.slack_messages ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.slack_requests ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sso_answers ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sso_connections ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sso_domains ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sso_identities ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.sso_logouts ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.support_grants ENABLE ROW LEVEL SECURITY;

CREATE POLICY sweeping ON public.holds FOR SELECT TO postgres USING (true);

ALTER TABLE public.telemetry_points ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.telemetry_sessions ENABLE ROW LEVEL SECURITY;

CREATE POLICY tenant ON public.allowances USING (((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])) IS TRUE)) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.api_keys USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.approvals USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.audit_heads USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.audit_log USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.benchmark_members USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.benchmark_set_orgs USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.chain_limits USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.chains USING (((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])) IS TRUE)) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.content_safety USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.customer_limits USING (((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])) IS TRUE)) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.decision_records USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.deprecated_calls USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.deprecation_announcements USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.dimension_settings USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.directory_roles USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.directory_users USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.eval_expiries USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.eval_results USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.event_opt_ins USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.events USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.foreign_keys USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.freezes USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.holds USING (((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])) IS TRUE)) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.idempotency_keys USING (((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])) IS TRUE)) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.key_reporting USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.ledger_batches USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.ledger_checks USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.limit_refusals USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.limits USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.mail_addresses USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.mail_uses USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.memberships USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.movement_rows USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.org_ledgers USING (((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])) IS TRUE)) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.org_rate_limits USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.orgs USING (((id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])) OR ( SELECT public.app_is_operator() AS app_is_operator))) WITH CHECK (((id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])) OR ( SELECT public.app_is_operator() AS app_is_operator)));

CREATE POLICY tenant ON public.otlp_mappings USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.outbox USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.packs USING (((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])) IS TRUE)) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.policy_matches USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.policy_rules USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.policy_sets USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.price_settings USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.prices USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.proposals USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.rate_limit_policies USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.reconciliations USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.refusal_counts USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.refusal_days USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.refusals USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.retention_policies USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.routes USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.routing_models USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.run_keys USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.run_keys_0 USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.run_keys_1 USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.run_keys_10 USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.run_keys_11 USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.run_keys_12 USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.run_keys_13 USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.run_keys_14 USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.run_keys_15 USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.run_keys_2 USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.run_keys_3 USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.run_keys_4 USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.run_keys_5 USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.run_keys_6 USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.run_keys_7 USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.run_keys_8 USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.run_keys_9 USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.runs USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.runs_30 USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.runs_3650 USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.runs_400 USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.runs_7 USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.runs_90 USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.scim_group_members USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.scim_groups USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.scim_tokens USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.session_policies USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.sessions USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.sign_in_links USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.slack_apps USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.slack_link_offers USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.slack_links USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.slack_messages USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.slack_requests USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.sso_answers USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.sso_connections USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.sso_domains USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.sso_identities USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.sso_logouts USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.support_grants USING (((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])) OR ( SELECT public.app_is_operator() AS app_is_operator))) WITH CHECK (((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])) OR ( SELECT public.app_is_operator() AS app_is_operator)));

CREATE POLICY tenant ON public.telemetry_points USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.telemetry_sessions USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.threshold_events USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.trust_settings USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.unpriced_models USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.usage_15m USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.usage_customer_days USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.usage_days USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.usage_deltas USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.usage_dimension_values USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.usage_hour_values USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.usage_hours USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.waiting_calls USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.webhook_deliveries USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.webhook_digests USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.webhook_org_secrets USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.webhook_pending USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.webhook_queues USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.webhook_replays USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

CREATE POLICY tenant ON public.webhook_subscriptions USING ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[]))) WITH CHECK ((org_id = ANY (( SELECT public.app_orgs() AS app_orgs)::uuid[])));

ALTER TABLE public.threshold_events ENABLE ROW LEVEL SECURITY;

CREATE POLICY touching ON public.api_keys FOR UPDATE TO postgres USING (true) WITH CHECK (true);

ALTER TABLE public.trust_settings ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.unpriced_models ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.usage_15m ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.usage_customer_days ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.usage_days ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.usage_deltas ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.usage_dimension_values ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.usage_hour_values ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.usage_hours ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.waiting_calls ENABLE ROW LEVEL SECURITY;

CREATE POLICY watching ON public.trust_settings FOR SELECT TO postgres USING (true);

ALTER TABLE public.webhook_deliveries ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhook_digests ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhook_org_secrets ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhook_pending ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhook_queues ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhook_replays ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.webhook_subscriptions ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA public TO weir_app;

REVOKE ALL ON FUNCTION public.add_passkey(new_id uuid, new_person_id uuid, new_credential_id bytea, new_public_key bytea, new_counter bigint, new_is_backup_eligible boolean, new_is_backed_up boolean, new_name text, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.add_passkey(new_id uuid, new_person_id uuid, new_credential_id bytea, new_public_key bytea, new_counter bigint, new_is_backup_eligible boolean, new_is_backed_up boolean, new_name text, most integer) TO weir_app;

REVOKE ALL ON FUNCTION public.admit_application_role() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.admit_backup_role() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.advance_event_order(beyond bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.advance_event_order(beyond bigint) TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.allowances TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.approvals TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.limits TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.packs TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.usage_dimension_values TO weir_app;

REVOKE ALL ON FUNCTION public.allowance_is_over(a public.allowances) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.arrive_rows(org uuid, move uuid, into_table text, given text[], gone jsonb, is_whole boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.arrive_rows(org uuid, move uuid, into_table text, given text[], gone jsonb, is_whole boolean) TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.org_moves TO weir_app;

REVOKE ALL ON FUNCTION public.closed_orgs() FROM PUBLIC;
GRANT ALL ON FUNCTION public.closed_orgs() TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.audit_heads TO weir_app;

REVOKE ALL ON FUNCTION public.audit_chains_to_hand_over(newest text, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.audit_chains_to_hand_over(newest text, most integer) TO weir_app;

REVOKE ALL ON FUNCTION public.award_foreign_key(org uuid, wanted uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.award_foreign_key(org uuid, wanted uuid) TO weir_app;

REVOKE ALL ON FUNCTION public.benchmark_keep_set(kept uuid, orgs uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.benchmark_keep_set(kept uuid, orgs uuid[]) TO weir_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.benchmark_members TO weir_app;

REVOKE ALL ON FUNCTION public.benchmark_members_of(cohort uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.benchmark_members_of(cohort uuid) TO weir_app;

GRANT SELECT,INSERT ON TABLE public.benchmark_periods TO weir_app;

GRANT SELECT,INSERT ON TABLE public.benchmark_results TO weir_app;

REVOKE ALL ON FUNCTION public.benchmark_open_metrics(cohort uuid, start timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.benchmark_open_metrics(cohort uuid, start timestamp with time zone) TO weir_app;

REVOKE ALL ON FUNCTION public.benchmark_sets_with(orgs uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.benchmark_sets_with(orgs uuid[]) TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.refusal_counts TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.usage_15m TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.usage_days TO weir_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.usage_deltas TO weir_app;

REVOKE ALL ON FUNCTION public.benchmark_sums(of_org uuid, since timestamp with time zone, until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.benchmark_sums(of_org uuid, since timestamp with time zone, until timestamp with time zone) TO weir_app;

REVOKE ALL ON FUNCTION public.benchmark_sums_of(cohort uuid, orgs uuid[], since timestamp with time zone, until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.benchmark_sums_of(cohort uuid, orgs uuid[], since timestamp with time zone, until timestamp with time zone) TO weir_app;

REVOKE ALL ON FUNCTION public.org_standing(org uuid, status text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.org_standing(org uuid, status text) TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.api_keys TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.memberships TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.org_rate_limits TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.orgs TO weir_app;

GRANT UPDATE(home_region) ON TABLE public.orgs TO weir_app;

GRANT UPDATE(home_epoch) ON TABLE public.orgs TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rate_limit_policies TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.support_grants TO weir_app;

REVOKE ALL ON FUNCTION public.caller_by_id(wanted uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.caller_by_id(wanted uuid) TO weir_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.sessions TO weir_app;

GRANT UPDATE(idle_seconds) ON TABLE public.sessions TO weir_app;

GRANT UPDATE(expires_at) ON TABLE public.sessions TO weir_app;

GRANT UPDATE(revoked_at) ON TABLE public.sessions TO weir_app;

REVOKE ALL ON FUNCTION public.caller_of_token(wanted uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.caller_of_token(wanted uuid) TO weir_app;

GRANT SELECT,INSERT ON TABLE public.foreign_keys TO weir_app;

GRANT UPDATE(mac) ON TABLE public.foreign_keys TO weir_app;

GRANT UPDATE(mac_key_id) ON TABLE public.foreign_keys TO weir_app;

GRANT UPDATE(ended_at) ON TABLE public.foreign_keys TO weir_app;

GRANT UPDATE(uses) ON TABLE public.foreign_keys TO weir_app;

GRANT UPDATE(last_used_at) ON TABLE public.foreign_keys TO weir_app;

GRANT UPDATE(updated_at) ON TABLE public.foreign_keys TO weir_app;

GRANT UPDATE(contest_id) ON TABLE public.foreign_keys TO weir_app;

GRANT UPDATE(contested_at) ON TABLE public.foreign_keys TO weir_app;

GRANT UPDATE(held) ON TABLE public.foreign_keys TO weir_app;

REVOKE ALL ON FUNCTION public.caller_of_foreign_key(wanted bytea[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.caller_of_foreign_key(wanted bytea[]) TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.org_ledgers TO weir_app;

REVOKE ALL ON FUNCTION public.change_every_configuration() FROM PUBLIC;
GRANT ALL ON FUNCTION public.change_every_configuration() TO weir_app;

REVOKE ALL ON FUNCTION public.contest_claims(own uuid, numbers integer[], macs bytea[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.contest_claims(own uuid, numbers integer[], macs bytea[]) TO weir_app;

GRANT SELECT,DELETE ON TABLE public.access_changes TO weir_app;

GRANT SELECT,UPDATE ON TABLE public.access_epoch TO weir_app;

REVOKE ALL ON FUNCTION public.record_access_change(org uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.record_access_change(org uuid) TO weir_app;

REVOKE ALL ON FUNCTION public.contest_foreign_keys(own uuid, wanted bytea[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.contest_foreign_keys(own uuid, wanted bytea[]) TO weir_app;

REVOKE ALL ON FUNCTION public.contested_foreign_keys(is_descending boolean, after_at timestamp with time zone, after_id uuid, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.contested_foreign_keys(is_descending boolean, after_at timestamp with time zone, after_id uuid, most integer) TO weir_app;

REVOKE ALL ON FUNCTION public.count_recovery_codes(of_person uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.count_recovery_codes(of_person uuid) TO weir_app;

REVOKE ALL ON FUNCTION public.create_partition(parent text, suffix text, lower_bound text, upper_bound text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.create_partition(parent text, suffix text, lower_bound text, upper_bound text) TO weir_app;

GRANT SELECT,INSERT ON TABLE public.scim_tokens TO weir_app;

GRANT UPDATE(revoked_at) ON TABLE public.scim_tokens TO weir_app;

REVOKE ALL ON FUNCTION public.directory_entry(wanted uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.directory_entry(wanted uuid) TO weir_app;

REVOKE ALL ON FUNCTION public.directory_of_token(wanted uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.directory_of_token(wanted uuid) TO weir_app;

REVOKE ALL ON FUNCTION public.discard_rows(org uuid, move uuid, from_table text, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.discard_rows(org uuid, move uuid, from_table text, most integer) TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.session_policies TO weir_app;

REVOKE ALL ON FUNCTION public.doors_of_person(wanted uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.doors_of_person(wanted uuid) TO weir_app;

REVOKE ALL ON FUNCTION public.drop_partition(parent text, suffix text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.drop_partition(parent text, suffix text) TO weir_app;

GRANT SELECT,USAGE ON SEQUENCE public.event_order TO weir_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.outbox TO weir_app;

REVOKE ALL ON FUNCTION public.events_waiting() FROM PUBLIC;
GRANT ALL ON FUNCTION public.events_waiting() TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.holds TO weir_app;

REVOKE ALL ON FUNCTION public.expired_holds(before timestamp with time zone, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.expired_holds(before timestamp with time zone, most integer) TO weir_app;

REVOKE ALL ON FUNCTION public.find_caller(wanted uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_caller(wanted uuid) TO weir_app;

GRANT SELECT ON TABLE public.moved_ids TO weir_app;

REVOKE ALL ON FUNCTION public.find_home(wanted uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_home(wanted uuid) TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sso_domains TO weir_app;

REVOKE ALL ON FUNCTION public.holder_of_domain(wanted text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.holder_of_domain(wanted text) TO weir_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.prices TO weir_app;

REVOKE ALL ON FUNCTION public.installation_prices() FROM PUBLIC;
GRANT ALL ON FUNCTION public.installation_prices() TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.price_settings TO weir_app;

REVOKE ALL ON FUNCTION public.installation_prices_version() FROM PUBLIC;
GRANT ALL ON FUNCTION public.installation_prices_version() TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.ledger_checks TO weir_app;

REVOKE ALL ON FUNCTION public.ledgers_to_check(after uuid, most integer, even_if_checked boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ledgers_to_check(after uuid, most integer, even_if_checked boolean) TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.audit_keys TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.slack_apps TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sso_connections TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.webhook_org_secrets TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhook_subscriptions TO weir_app;

REVOKE ALL ON FUNCTION public.master_key_uses(newest text, older text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.master_key_uses(newest text, older text[]) TO weir_app;

REVOKE ALL ON FUNCTION public.org_of_sso_connection(wanted uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.org_of_sso_connection(wanted uuid) TO weir_app;

GRANT SELECT,INSERT ON TABLE public.deprecation_announcements TO weir_app;

REVOKE ALL ON FUNCTION public.orgs_to_tell(announcements text[], since timestamp with time zone[], after uuid, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.orgs_to_tell(announcements text[], since timestamp with time zone[], after uuid, most integer) TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhook_digests TO weir_app;

REVOKE ALL ON FUNCTION public.orgs_with_closing_digests(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.orgs_with_closing_digests(most integer) TO weir_app;

REVOKE ALL ON FUNCTION public.orgs_with_closing_digests(after uuid, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.orgs_with_closing_digests(after uuid, most integer) TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.mail_addresses TO weir_app;

REVOKE ALL ON FUNCTION public.orgs_with_due_mail_codes(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.orgs_with_due_mail_codes(most integer) TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.telemetry_points TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.waiting_calls TO weir_app;

REVOKE ALL ON FUNCTION public.orgs_with_due_telemetry(quiet_since timestamp with time zone, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.orgs_with_due_telemetry(quiet_since timestamp with time zone, most integer) TO weir_app;

REVOKE ALL ON FUNCTION public.orgs_with_due_telemetry(quiet_since timestamp with time zone, after uuid, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.orgs_with_due_telemetry(quiet_since timestamp with time zone, after uuid, most integer) TO weir_app;

REVOKE ALL ON FUNCTION public.orgs_with_old_usage(before timestamp with time zone, after uuid, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.orgs_with_old_usage(before timestamp with time zone, after uuid, most integer) TO weir_app;

REVOKE ALL ON FUNCTION public.orgs_with_overdue_approvals(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.orgs_with_overdue_approvals(most integer) TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.routes TO weir_app;

REVOKE ALL ON FUNCTION public.orgs_with_routes(after uuid, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.orgs_with_routes(after uuid, most integer) TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.key_reporting TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.trust_settings TO weir_app;

REVOKE ALL ON FUNCTION public.orgs_with_unwatched_reporting(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.orgs_with_unwatched_reporting(most integer) TO weir_app;

REVOKE ALL ON FUNCTION public.orgs_with_usage_deltas(after uuid, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.orgs_with_usage_deltas(after uuid, most integer) TO weir_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.sign_in_links TO weir_app;

REVOKE ALL ON FUNCTION public.owner_of_sign_in_link(wanted uuid, wanted_digest bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION public.owner_of_sign_in_link(wanted uuid, wanted_digest bytea) TO weir_app;

REVOKE ALL ON FUNCTION public.passkey_by_credential(wanted bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION public.passkey_by_credential(wanted bytea) TO weir_app;

REVOKE ALL ON FUNCTION public.passkeys_of_person(wanted uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.passkeys_of_person(wanted uuid) TO weir_app;

REVOKE ALL ON FUNCTION public.proved_domains(later_than text, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.proved_domains(later_than text, most integer) TO weir_app;

REVOKE ALL ON FUNCTION public.prune_allowances(after_org uuid, after_key uuid, most integer, OUT gone bigint, OUT last_org uuid, OUT last_key uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.prune_allowances(after_org uuid, after_key uuid, most integer, OUT gone bigint, OUT last_org uuid, OUT last_key uuid) TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.chains TO weir_app;

REVOKE ALL ON FUNCTION public.prune_chains(after_org uuid, after_chain text, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.prune_chains(after_org uuid, after_chain text, most integer) TO weir_app;

REVOKE ALL ON FUNCTION public.prune_rows(parent text, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.prune_rows(parent text, most integer) TO weir_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.run_keys TO weir_app;

REVOKE ALL ON FUNCTION public.prune_run_keys(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.prune_run_keys(most integer) TO weir_app;

REVOKE ALL ON FUNCTION public.rehash_callers(ids uuid[], old_key_ids text[], macs bytea[], new_key_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rehash_callers(ids uuid[], old_key_ids text[], macs bytea[], new_key_id text) TO weir_app;

REVOKE ALL ON FUNCTION public.remove_org_rows(org uuid, from_table text, most integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.remove_passkey(of_person uuid, wanted uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.remove_passkey(of_person uuid, wanted uuid) TO weir_app;

REVOKE ALL ON FUNCTION public.rename_passkey(of_person uuid, wanted uuid, new_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rename_passkey(of_person uuid, wanted uuid, new_name text) TO weir_app;

REVOKE ALL ON FUNCTION public.replace_recovery_codes(of_person uuid, digests bytea[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.replace_recovery_codes(of_person uuid, digests bytea[]) TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhook_replays TO weir_app;

REVOKE ALL ON FUNCTION public.replays_waiting(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.replays_waiting(most integer) TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.retention_policies TO weir_app;

REVOKE ALL ON FUNCTION public.retention_classes_in_use() FROM PUBLIC;
GRANT ALL ON FUNCTION public.retention_classes_in_use() TO weir_app;

REVOKE ALL ON FUNCTION public.slack_apps_of(wanted uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.slack_apps_of(wanted uuid[]) TO weir_app;

REVOKE ALL ON FUNCTION public.slack_secrets_sealed_with(key_ids text[], most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.slack_secrets_sealed_with(key_ids text[], most integer) TO weir_app;

REVOKE ALL ON FUNCTION public.sso_connection_of_domain(wanted text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.sso_connection_of_domain(wanted text) TO weir_app;

REVOKE ALL ON FUNCTION public.sso_secrets_sealed_with(key_ids text[], most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.sso_secrets_sealed_with(key_ids text[], most integer) TO weir_app;

REVOKE ALL ON FUNCTION public.take_events(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.take_events(most integer) TO weir_app;

REVOKE ALL ON FUNCTION public.take_recovery_code(wanted bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION public.take_recovery_code(wanted bytea) TO weir_app;

REVOKE ALL ON FUNCTION public.take_sign_in_link(wanted uuid, wanted_digest bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION public.take_sign_in_link(wanted uuid, wanted_digest bytea) TO weir_app;

REVOKE ALL ON FUNCTION public.take_slack_apps(worker uuid, lease interval, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.take_slack_apps(worker uuid, lease interval, most integer) TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhook_queues TO weir_app;

REVOKE ALL ON FUNCTION public.take_webhook_queues(worker uuid, lease interval, only_troubled boolean, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.take_webhook_queues(worker uuid, lease interval, only_troubled boolean, most integer) TO weir_app;

REVOKE ALL ON FUNCTION public.touch_keys(ids uuid[], times timestamp with time zone[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.touch_keys(ids uuid[], times timestamp with time zone[]) TO weir_app;

REVOKE ALL ON FUNCTION public.touch_scim_tokens(ids uuid[], times timestamp with time zone[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.touch_scim_tokens(ids uuid[], times timestamp with time zone[]) TO weir_app;

REVOKE ALL ON FUNCTION public.touch_sessions(ids uuid[], times timestamp with time zone[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.touch_sessions(ids uuid[], times timestamp with time zone[]) TO weir_app;

REVOKE ALL ON FUNCTION public.try_run_keys(orgs uuid[], names text[], runs uuid[], hashes text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.try_run_keys(orgs uuid[], names text[], runs uuid[], hashes text[]) TO weir_app;

REVOKE ALL ON FUNCTION public.unused_keys(key_ids text[], since timestamp with time zone, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.unused_keys(key_ids text[], since timestamp with time zone, most integer) TO weir_app;

REVOKE ALL ON FUNCTION public.use_passkey(wanted uuid, new_counter bigint, new_is_backed_up boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.use_passkey(wanted uuid, new_counter bigint, new_is_backed_up boolean) TO weir_app;

REVOKE ALL ON FUNCTION public.use_passkey_challenge(wanted bytea, until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.use_passkey_challenge(wanted bytea, until timestamp with time zone) TO weir_app;

REVOKE ALL ON FUNCTION public.webhook_secrets_sealed_with(key_ids text[], most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.webhook_secrets_sealed_with(key_ids text[], most integer) TO weir_app;

GRANT SELECT,INSERT ON TABLE public.audit_log TO weir_app;

GRANT SELECT,INSERT ON TABLE public.ledger_batches TO weir_app;

GRANT SELECT ON TABLE public.batch_movements TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.benchmark_cohorts TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.chain_limits TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.content_safety TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.customer_limits TO weir_app;

GRANT SELECT,INSERT ON TABLE public.decision_records TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.deprecated_calls TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.dimension_settings TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.directory_roles TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.directory_users TO weir_app;

GRANT SELECT,INSERT ON TABLE public.eval_expiries TO weir_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.eval_results TO weir_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.event_opt_ins TO weir_app;

GRANT SELECT,INSERT ON TABLE public.events TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.freezes TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.idempotency_keys TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.limit_refusals TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.mail_uses TO weir_app;

GRANT SELECT,INSERT ON TABLE public.movement_rows TO weir_app;

GRANT SELECT,INSERT ON TABLE public.movements TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.nodes TO weir_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.org_move_changes TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.org_move_sums TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.otlp_mappings TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.policy_matches TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.policy_rules TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.policy_sets TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.proposals TO weir_app;

GRANT SELECT ON TABLE public.pruned_rows TO weir_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.reconciliations TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.refusal_days TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.refusals TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.routing_models TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.runs TO weir_app;

GRANT SELECT ON TABLE public.schema_compatibility TO weir_app;

GRANT SELECT ON TABLE public.schema_migrations TO weir_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.scim_group_members TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.scim_groups TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.slack_link_offers TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.slack_links TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.slack_messages TO weir_app;

GRANT SELECT,INSERT ON TABLE public.slack_requests TO weir_app;

GRANT SELECT,INSERT ON TABLE public.sso_answers TO weir_app;

GRANT UPDATE(finish_digest) ON TABLE public.sso_answers TO weir_app;

GRANT UPDATE(answer) ON TABLE public.sso_answers TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sso_identities TO weir_app;

GRANT SELECT,INSERT ON TABLE public.sso_logouts TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.telemetry_sessions TO weir_app;

GRANT SELECT,INSERT,DELETE ON TABLE public.threshold_events TO weir_app;

GRANT SELECT,INSERT,UPDATE ON TABLE public.unpriced_models TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.usage_customer_days TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.usage_hour_values TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.usage_hours TO weir_app;

GRANT SELECT,INSERT ON TABLE public.webhook_deliveries TO weir_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhook_pending TO weir_app;
