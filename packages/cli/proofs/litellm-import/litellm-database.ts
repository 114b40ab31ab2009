import pg from 'pg'
import { litellmTables } from './litellm-tables.ts'

export interface Size {
  readonly keys: number
  readonly teams: number
  readonly logs: number
}

/** A client's own key: the text whose SHA-256 LiteLLM has for the key with a number. */
export const clientKey = (number: number) => `sk-weirproof${String(number).padStart(10, '0')}abcXYZ`

/** Writes the id of a team with a number, in SQL: some are spelled with a capital, which Weir takes for the same name. */
const teamId = (number: string) => `case when (${number}) % 13 = 2 then 'Team-' else 'team-' end || (${number})`

/** The key of a small team that has spent nearly all of its budget. */
export const tightKey = 1

/**
 * Fills a database as LiteLLM leaves it after a few months: budgets of all kinds, keys that are blocked, expired, without a team; calls of keys
 * that are there no more, costs with the noise of floats. Its teams, users, keys and end users have spent what their calls cost, and a
 * little of which there is no call any more.
 */
export async function fillLitellm(url: string, { keys, teams, logs }: Size) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('set timezone = utc; select setseed(0.42)')
    await client.query(litellmTables)
    const users = Math.max(4, teams)
    await client.query(`
      insert into "LiteLLM_BudgetTable" (budget_id, max_budget, soft_budget, budget_duration) values
        ('gold', 250.1, 200, '30d'), ('silver', 12.34567890123, null, '7d'), ('mate', 5, null, '1d');
      insert into "LiteLLM_TeamTable" (team_id, team_alias, max_budget, soft_budget, budget_duration, rpm_limit, model_max_budget, blocked)
        select ${teamId('i')}, 'Team ' || i, case when i % 4 = 3 then null else 100 + i * 0.1 end,
               case when i % 2 = 0 then 80 end, (array['30d', '7d', '1d', '14d', null])[1 + i % 5], case when i % 7 = 0 then 600 end,
               case when i % 10 = 0 then '{"gpt-4o": {"budget_limit": 1.5, "time_period": "1d"}}'::jsonb else '{}' end, i % 50 = 49
          from generate_series(0, ${teams - 1}) i;
      update "LiteLLM_TeamTable" set max_budget = 0.25, budget_duration = '30d', blocked = false where team_id = 'team-${tightKey % teams}';
      insert into "LiteLLM_UserTable" (user_id, user_email, max_budget, budget_duration)
        select 'user-' || i, 'user' || i || '@example.com', case when i % 3 = 0 then 1000.5 end, '30d' from generate_series(0, ${users - 1}) i;
      insert into "LiteLLM_EndUserTable" (user_id, budget_id, blocked)
        select 'customer-' || i, (array['gold', 'silver', null])[1 + i % 3], i % 40 = 39 from generate_series(0, ${users * 2 - 1}) i;
      insert into "LiteLLM_TeamMembership" (user_id, team_id, budget_id)
        select 'user-' || i, ${teamId(`i % ${teams}`)}, 'mate' from generate_series(0, ${users - 1}, 5) i;`)
    await client.query(
      `insert into "LiteLLM_VerificationToken" (token, key_name, key_alias, user_id, team_id, max_budget, soft_budget_cooldown, budget_duration,
              expires, blocked, models, rpm_limit)
       select encode(sha256(convert_to('sk-weirproof' || lpad(i::text, 10, '0') || 'abcXYZ', 'utf8')), 'hex'), 'sk-...cXYZ', 'agent ' || i,
              case when i % 3 > 0 then 'user-' || (i % ${users}) end, case when i % 9 < 8 then ${teamId(`i % ${teams}`)} end,
              case when i % 2 = 0 then 50 + i * 0.01 end, false, '30d',
              case when i % 100 = 50 then now() - interval '1 day' when i % 100 = 60 then now() + interval '300 days' end,
              i % 100 = 70, case when i % 20 = 0 then array['gpt-4o'] else array[]::text[] end, case when i % 30 = 0 then 60 end
         from generate_series(0, ${keys - 1}) i`,
    )
    await client.query(
      // One that everybody knows, as somebody may have made it.
      `insert into "LiteLLM_VerificationToken" (token, key_alias) values (encode(sha256('sk-1234'), 'hex'), 'default')`,
    )
    await client.query(`
      insert into "LiteLLM_SpendLogs" (request_id, call_type, api_key, spend, total_tokens, prompt_tokens, completion_tokens, "startTime",
             "endTime", model, model_group, custom_llm_provider, "user", team_id, end_user, request_tags, status)
      select 'chatcmpl-' || md5(i::text), 'acompletion',
             case when i % 97 = 0 then encode(sha256(convert_to('gone' || i % 5, 'utf8')), 'hex') else k.token end,
             case when i % 11 = 0 then 0 when i % 13 = 0 then random() * 1e-7 else random() * 0.003 end,
             300, 200 + i % 100, i % 150, t.at, t.at + interval '2 seconds',
             (array['gpt-4o', 'gpt-4o-mini', 'claude-sonnet-4-5', ''])[1 + i % 4], 'chat', (array['openai', 'openai', 'anthropic', ''])[1 + i % 4],
             coalesce(k.user_id, case when i % 5 = 0 then 'default_user_id' else '' end), k.team_id,
             case when i % 6 = 0 then 'customer-' || (i % ${users * 2}) end,
             case when i % 8 = 0 then '["nightly", "User-Agent: openai/1.0"]'::jsonb else '[]' end,
             case when i % 50 = 0 then 'failure' else 'success' end
        from generate_series(1, ${logs}) i
       -- None is nearly 90 days old: the edge of what is imported moves while an import runs.
       cross join lateral (select date_trunc('milliseconds', (now() at time zone 'utc') - (i::float8 / ${logs}) * interval '100 days'
              - case when i::float8 / ${logs} > 0.895 then interval '12 hours' else interval '0' end) as at) t
        join (select token, user_id, team_id, row_number() over (order by token) - 1 as n from "LiteLLM_VerificationToken" where key_alias <> 'default') k
          on k.n = (i * 7919::bigint) % ${keys};
      analyze "LiteLLM_SpendLogs";
      create temp table month as select * from "LiteLLM_SpendLogs" where "startTime" >= date_trunc('month', now() at time zone 'utc');
      update "LiteLLM_TeamTable" t set spend = 0.1 + 0.2 + coalesce((select sum(spend) from month l where l.team_id = t.team_id), 0);
      -- Nearly all of the tight budget is spent, however many calls there are in the month.
      update "LiteLLM_TeamTable" set spend = greatest(0.249, cost), max_budget = greatest(0.25, ceil(cost * 1000) / 1000 + 0.0015)
        from (select coalesce(sum(spend), 0) as cost from month where team_id = 'team-${tightKey % teams}') m where team_id = 'team-${tightKey % teams}';
      update "LiteLLM_UserTable" u set spend = coalesce(s.spend, 0)
        from (select "user", sum(spend) as spend from month group by 1) s where s."user" = u.user_id;
      update "LiteLLM_VerificationToken" k set spend = s.spend from (select api_key, sum(spend) as spend from month group by 1) s where s.api_key = k.token;
      update "LiteLLM_EndUserTable" u set spend = s.spend from (select end_user, sum(spend) as spend from month group by 1) s where s.end_user = u.user_id;`)
  } finally {
    await client.end()
  }
}
