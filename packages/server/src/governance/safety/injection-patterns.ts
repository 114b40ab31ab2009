interface InjectionPattern {
  /** The technique that the pattern indicates; the same in every language. */
  readonly name: string
  /** The contribution to the score of 100. It counts once per name, however often and in whatever languages it matches. */
  readonly weight: number
  readonly pattern: RegExp
}

/** Up to `most` words between two that matter. Words and separators share no character, so matching stays linear. */
const words = (most: number) => `(?:[^\\s,:"*_.!?;-]{1,16}[\\s,:"*_-]{1,4}){0,${most}}`
const gap = `[\\s,:"*_-]{1,4}`
const maybe = `[\\s,:"*_-]{0,4}`

/** Asserts that no letter follows; `\b` does not know all letters of these languages. */
const end = '(?![a-zà-ÿ])'

const from = (source: string) => new RegExp(source, 'g')
const pattern = (name: string, weight: number, source: string): InjectionPattern => ({
  name,
  weight,
  pattern: from(source),
})

const drop =
  '(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?(?! to)|overrid(?:e|ing)|bypass(?:ing)?|neglect|discard|skip|delete|erase|drop|cancel|abandon|dismiss|clear|reset|do not (?:follow|obey)|don.?t (?:follow|obey)|stop following)'
const earlier =
  '(?:previous|prior|above|earlier|preceding|original|initial|foregoing|former|existing|system|developer|safety|ethical|moral|these|those|your|all|any)'
const orders =
  '(?:instructions?|prompts?|rules?|directions?|directives?|guidelines?|guardrails|restrictions?|commands?|programming|orders|constraints|training|polic(?:y|ies)|safeguards|filters?|protocols?|ethics)'
const show =
  '(?:reveal|show|print|repeat|output|display|disclose|leak|tell|give|share|expose|write|echo|dump|recite|return|translate|summari[sz]e|spell out|what (?:is|are|was|were))'
const inner = '(?:system|initial|hidden|secret|original|developer|internal|first|full|exact|base|pre-?)'

/** Patterns for lower-case text. Each takes a bounded number of steps from where it begins. */
export const injectionPatterns: readonly InjectionPattern[] = [
  pattern('drop_instructions', 60, `\\b${drop}${gap}${words(3)}${earlier}${gap}${words(3)}${orders}\\b`),
  pattern(
    'drop_instructions',
    55,
    `\\b(?:ignore|disregard|forget)${gap}(?:(?:everything|anything|all)${gap}${words(4)}(?:above|before|previously|prior|so far|earlier|been told|were told|you know|said)|what${gap}${words(4)}(?:been told|were told|said (?:above|before|earlier)))\\b`,
  ),
  pattern(
    'drop_instructions',
    55,
    `\\b(?:ignore|disregard|forget|bypass|override)${gap}(?:(?:your${gap}|all${gap})?(?:ethics|morals|morality|instructions(?=[.,;!?]|\\s(?:and|you|then)\\b))|(?:ethical|moral|safety)${gap}(?:guidelines|rules|protocols|constraints|standards)\\b|everything(?=[.,;!?]|\\s(?:and|you)\\b))`,
  ),
  pattern(
    'new_instructions',
    35,
    `\\b(?:new|updated|real|actual|revised)${gap}(?:system${gap})?(?:instructions?|task|directive|objective|orders)${maybe}(?::|are|is|follow|below)`,
  ),
  pattern(
    'from_now_on',
    20,
    `\\b(?:from now on|from here on|from this (?:point|moment) (?:on|forward)|henceforth|starting now)\\b`,
  ),
  pattern(
    'you_are_now',
    30,
    `\\byou${gap}(?:are|'re|will be|shall be|will act as|must act as)${gap}(?:now|no longer|henceforth|going to)${gap}${words(5)}(?:ai|model|assistant|bot|persona|character|dan|unrestricted|unfiltered|free|bound|restricted|root|admin|administrator|god|developer|hacker|jailbroken|evil|chatgpt|gpt|claude)\\b`,
  ),
  pattern(
    'role_play',
    30,
    `\\b(?:pretend|imagine|act|roleplay|role-play|behave|respond|simulate)${gap}${words(5)}(?:unrestricted|unfiltered|uncensored|amoral|unethical|evil|jailbroken|without (?:any )?(?:restrictions|rules|limits|limitations|filters|ethics|guidelines)|no (?:restrictions|rules|limits|filters|limitations|ethics|guidelines)|dan|developer mode|opposite mode)\\b`,
  ),
  pattern(
    'no_restrictions',
    35,
    `\\b(?:without|no longer|not|never|free (?:of|from)|ignoring|no|zero)${gap}${words(3)}(?:bound by|restricted by|limited by|constrained by|subject to|restrictions?|content polic(?:y|ies)|guidelines|guardrails|filters?|filtering|ethics|ethical (?:constraints|limits|concerns)|morals?|limitations|limits|boundaries|censorship|safety (?:guidelines|filters|rules)|openai.?s? policies)\\b`,
  ),
  pattern(
    'no_restrictions',
    35,
    `\\b(?:unrestricted|uncensored|unfiltered|unlimited|jailbroken)${gap}(?:ai|assistant|chatbot|language model|model|mode|version|creative mode)\\b`,
  ),
  pattern('another_role', 20, `\\byou${gap}(?:are|'re)${gap}now${gap}an?${gap}`),
  pattern(
    'jailbreak',
    55,
    `\\b(?:do anything now|dan mode|jailbr(?:eak|oken) mode|developer mode (?:enabled|on|activated|output)|enable (?:developer|debug|god|sudo|dan|admin) mode|god mode|unrestricted mode|stay in dan|you are dan\\b|as dan\\b|aim \\(always intelligent|always intelligent and machiavellian|evil.?bot|grandma exploit)`,
  ),
  pattern(
    'reveal_prompt',
    60,
    `\\b${show}${gap}${words(5)}(?:your|the|its|thy|all|any)${gap}${words(2)}(?:${inner}${gap}${words(1)}(?:prompt|instructions?|message|rules|directives|configuration|guidelines)|system prompt|system message|prompt verbatim|instructions verbatim)\\b`,
  ),
  pattern(
    'reveal_prompt',
    55,
    `\\b${show}${gap}${words(7)}your${gap}${words(2)}(?:prompts?|context window|system (?:prompt|message|instructions?)|initial instructions?|configuration file)\\b`,
  ),
  pattern(
    'reveal_prompt',
    55,
    `\\b(?:${show}|what)${gap}${words(6)}(?:instructions?|prompts?|rules|directives|guidelines)${gap}(?:that${gap})?(?:you${gap}(?:were|have been|had been|got|received|operate)|(?:were|was)${gap}(?:you${gap})?given to you)\\b`,
  ),
  pattern(
    'reveal_prompt',
    55,
    `\\b(?:output|print|show|reveal|repeat|display|dump|leak|give)${gap}(?:me${gap})?(?:the${gap}|your${gap})?(?:original|system|initial|hidden|full|entire)${gap}(?:system${gap})?(?:prompt|instructions?|message)\\b`,
  ),
  pattern(
    'reveal_own_instructions',
    50,
    `\\b${show}${gap}${words(3)}your${gap}${words(1)}(?:instructions|prompt|rules|directives|guidelines|programming)${maybe}(?:verbatim|word for word|in full|exactly|as (?:a|they)|starting|above|now|in a code block|to me|back to me|here|\\.|!|\\?|$)`,
  ),
  pattern(
    'repeat_above',
    55,
    `\\b(?:repeat|print|output|copy|write|echo|summari[sz]e|translate|show|display)${gap}${words(3)}(?:words?|text|everything|prompts?|instructions|messages?|conversation)${gap}${words(2)}(?:above|before this|preceding|prior to this)(?=[\\s.,:;!?]{0,2}(?:this|the line|line|and|in|verbatim|word|starting|beginning|exactly|as|message|to|$|\\n))`,
  ),
  pattern('begin_with', 40, `\\bstarting with${gap}["'“]?(?:you are|you're)`),
  pattern(
    'refusal_ban',
    30,
    `\\b(?:you (?:must|will|can|should|are) ?(?:not|never)|never|do not|don.?t|cannot|can.?t)${gap}(?:ever${gap})?(?:refuse|say no|decline|apologi[sz]e|say (?:that )?you can.?t|mention (?:that )?(?:you|openai|any)|break character|add (?:any )?(?:warnings?|disclaimers?))\\b`,
  ),
  pattern(
    'override',
    50,
    `(?:\\b(?:system|admin|administrator|developer|root|security|safety)${gap}(?:override|bypass|overwrite)\\b|\\boverride${gap}(?:code|protocol|safety|security|your|the system)\\b|\\bsudo${gap}(?:mode|ignore|override|give|tell|print)\\b)`,
  ),
  pattern(
    'disable_safety',
    50,
    `\\b(?:disable|turn off|deactivate|remove|switch off|circumvent|evade|suspend|bypass)${gap}${words(3)}(?:safety|your content|all content|ethical|moral)${gap}(?:filters?|checks?|guidelines?|protocols?|restrictions?|measures?|polic(?:y|ies)|guardrails)\\b|\\b(?:disable|remove|bypass)${gap}${words(2)}(?:guardrails|safeguards|your (?:filters?|restrictions|limitations|rules))\\b`,
  ),
  pattern(
    'tell_nobody',
    35,
    `\\b(?:do not|don.?t|never|without)${gap}(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|reveal(?:ing)?|notify(?:ing)?|alert(?:ing)?)${gap}${words(2)}(?:the user|the human|anyone|this (?:message|instruction)|that you|these instructions)\\b`,
  ),
  pattern(
    'exfiltrate',
    55,
    `\\b(?:send|forward|post|upload|exfiltrate|transmit|e?-?mail|append|leak)${gap}${words(8)}(?:conversation|chat history|user data|api keys?|credentials|passwords?|secrets|session|cookies|environment variables|all (?:the )?(?:emails|files|data|messages))${gap}${words(4)}(?:to|at|via)${gap}["']?(?:https?:|[a-z0-9.-]{2,40}@|www\\.|attacker|evil|my server)`,
  ),
  pattern(
    'image_exfiltration',
    60,
    `!\\[[^\\]\\n]{0,80}\\]\\(https?:\\/\\/[^\\s)]{1,200}[?&][\\w-]{1,30}=(?:\\{|\\$|%7b|<|\\[|%s|base64|secret|data_here|conversation|prompt)`,
  ),
  pattern(
    'forged_markup',
    50,
    `(?:<\\|(?:im_start|im_end|system|user|assistant|endoftext|begin_of_text|start_header_id|eot_id)\\|>|\\[\\/?inst\\]|<<\\/?sys>>|<\\/?(?:system|assistant|system_prompt|instructions)>|\\{\\{#?(?:system|assistant)\\}\\})`,
  ),
  pattern(
    'forged_turn',
    40,
    `(?:^|\\n)[ \\t#*\\[(-]{0,6}(?:system|assistant|developer|admin)(?: (?:message|prompt|note|override|instruction))?[\\])*]{0,3}[ \\t]{0,3}:[ \\t*]{0,4}\\S`,
  ),
  pattern(
    'end_of_prompt',
    50,
    `(?:[-=#*]{3,12}|\\[|<)[ \\t]{0,3}(?:end of (?:system )?(?:prompt|instructions|context|document|input|user input)|begin (?:new )?(?:system )?(?:prompt|instructions)|new (?:system )?(?:prompt|instructions)|end (?:system )?(?:prompt|instructions))`,
  ),
  pattern(
    'hidden_order',
    35,
    `(?:<!--|\\/\\*|display:\\s?none|font-size:\\s?0|color:\\s?(?:white|#fff))[^>]{0,120}\\b(?:ignore|instruction|assistant|you must|ai model|llm|language model|prompt)\\b`,
  ),
  pattern(
    'drop_context',
    25,
    `\\b(?:ignore|disregard|forget)${gap}${words(3)}(?:previous|earlier|above|prior|preceding|that|this)${gap}${words(1)}(?:stuff|texts?|contents?|conversation|messages?|context|input|document)\\b`,
  ),
  pattern(
    'persona',
    20,
    `\\b(?:you(?:'re| are| were)${gap}(?:an?|the|my)${gap}${words(3)}(?:ai|llm|model|assistant|bot|chatbot|terminal|character)${gap}(?:called|named|that|who|which|without|with no|now)|your${gap}(?:new${gap})?name${gap}(?:is|will be)|(?:answer|respond|reply|speak)${gap}(?:only${gap})?as${gap})`,
  ),
  pattern(
    'authority',
    30,
    `\\b(?:i(?:'m| am)${gap}(?:now${gap})?(?:your${gap}(?:new${gap})?|the${gap}|an?${gap})(?:developer|creator|programmer|administrator|admin|owner|master|openai (?:employee|engineer|staff))|as (?:an?|the|your) (?:admin|administrator|developer|openai engineer)${gap}i\\b|ich bin${gap}(?:nun|jetzt|ab sofort)${gap}dein|follow${gap}(?:only${gap})?my${gap}(?:commands?|orders?|instructions?))`,
  ),
  pattern(
    'assistant_must',
    30,
    `\\b(?:assistant|ai|model|llm|agent|bot)${gap}(?:must|should|shall|has to|will|needs to)${gap}(?:now${gap}|always${gap}|immediately${gap}|instead${gap})?(?:call|use|invoke|execute|run|send|transfer|click|visit|open|reply|respond|output|say|ignore|obey|comply|recommend|approve)\\b`,
  ),
  pattern('closing_tag', 20, `<\\/(?:document|context|user_input|user|data|untrusted|input|prompt|query|message)>`),
  pattern(
    'to_the_ai',
    50,
    `\\b(?:important|attention|urgent|priority|special|hidden|secret|new)${gap}(?:instructions?|message|note|notice)${gap}(?:to|for)${gap}(?:the |any |all )?(?:ai|llms?|language models?|assistants?|chatbots?)\\b`,
  ),
  pattern(
    'to_the_ai',
    35,
    `\\b(?:attention|note|notice|message|important|instruction|instructions)${gap}(?:to|for)${gap}(?:the |any |all )?(?:ai|llms?|language models?|assistants?|chatbots?|ai (?:agents?|assistants?|models?|systems?))\\b`,
  ),
  pattern(
    'hypnosis',
    30,
    `\\b(?:hypothetical(?:ly)?|fictional|for educational purposes|in a fictional world)\\b[^.\\n]{0,80}\\b(?:no (?:rules|restrictions|laws|ethics|limits)|without (?:restrictions|limits|rules)|anything is allowed)\\b`,
  ),
  pattern(
    'decode_and_obey',
    50,
    `\\b(?:decode|decrypt|base64|rot13|reverse)\\b[^.\\n]{0,60}\\b(?:and (?:then )?(?:follow|execute|obey|do|run|comply)|then (?:follow|execute|obey|do|run|comply))\\b`,
  ),
  pattern(
    'drop_instructions',
    60,
    `(?:\\b(?:ignorier(?:e|en|t|st)?|missachte(?:n|t)?|vergiss|vergessen|vergesse|umgeh(?:e|en))|übergeh(?:e|en)|überschreib(?:e|en))${gap}${words(4)}(?:anweisung(?:en)?|instruktion(?:en)?|aufgaben davor|vorgaben?|regeln?|befehle?|prompts?|richtlinien|einschränkungen|anordnungen)${end}`,
  ),
  pattern(
    'drop_instructions',
    50,
    `\\b(?:ignoriere|vergiss|vergesse|vergessen sie|ignorieren sie)${gap}(?:nun${gap}|jetzt${gap}|bitte${gap})?(?:alles|all das|sämtliches)${gap}${words(4)}(?:zuvor|vorher|davor|bisher|oben|gesagt|gesagte|bisherige|vor diesem|geschah|stattgefunden|passiert)${end}`,
  ),
  pattern(
    'reveal_prompt',
    55,
    `\\b(?:zeig(?:e|en)?|verrate?(?:n)?|gib|geben|nenne?(?:n)?|wiederhole?(?:n)?|offenbare?|drucke?|schreib(?:e|en)?|wie lautet|was ist)${gap}${words(5)}(?:deine?n?r?${gap}(?:gesamten?${gap}|ganzen?${gap}|internen?${gap})?(?:prompts?|prompt-?texte?n?)|system-?\\s?prompts?|system-?\\s?anweisung(?:en)?|systemnachricht|geheimen? anweisungen|ursprünglichen? (?:anweisungen|prompt)|internen? anweisungen|versteckten? anweisungen)${end}`,
  ),
  pattern(
    'role_play',
    40,
    `\\b(?:du bist|sie sind|du bist ab sofort|tu so,? als|verhalte dich)${gap}${words(5)}(?:ohne (?:jegliche |alle )?(?:einschränkungen|regeln|filter|grenzen|beschränkungen)|keine(?:n|r)? (?:einschränkungen|regeln|filter)|uneingeschränkte?r?|unzensierte?r?|im entwicklermodus|nicht mehr an)${end}`,
  ),
  pattern(
    'drop_instructions',
    60,
    `\\b(?:ignore[rz]?|oublie[rz]?|n['’]?\\s?obéi[st]|ne (?:tiens|tenez) pas compte|ne suis pas|ne suivez pas|outrepasse[rz]?|contourne[rz]?|fais abstraction|faites abstraction)${gap}(?:de${gap})?(?:toute?s?|tous|les|tes|vos|ces|ses|mes|des|leurs|l'|aux|chaque)${gap}${words(4)}(?:instructions?|consignes?|règles?|regles?|directives?|ordres?|prompts?|restrictions)${end}`,
  ),
  pattern(
    'drop_instructions',
    50,
    `\\b(?:ignore[rz]?|oublie[rz]?)${gap}tout${gap}${words(5)}(?:précède|precede|avant|dessus|dit|précédemment|precedemment)${end}`,
  ),
  pattern(
    'reveal_prompt',
    55,
    `\\b(?:révèle[rz]?|revele[rz]?|montre[rz]?|affiche[rz]?|donne[rz]?|répète[rz]?|repete[rz]?|divulgue[rz]?|ecri[st]|quel(?:le)?s? (?:est|sont)|imprime[rz]?)${gap}${words(4)}(?:prompt (?:système|systeme|initial|système complet)|invite (?:système|systeme)|instructions (?:système|systeme|initiales|secrètes|secretes|internes|cachées|cachees|d['’]origine)|message (?:système|systeme))${end}`,
  ),
  pattern(
    'role_play',
    40,
    `\\b(?:tu es|vous êtes|vous etes|fais semblant|agis|comporte-toi|joue)${gap}${words(6)}(?:sans (?:aucune |aucun )?(?:restrictions?|règles?|regles?|limites?|filtres?|censure)|aucune (?:restriction|règle|limite)|non censurée?)${end}`,
  ),
  pattern(
    'drop_instructions',
    60,
    `\\b(?:ignor(?:a|e|ar|en|es)|olvid(?:a|e|ar|en|es)|olv[íi]dat?e? de|desobedec(?:e|er)|omit(?:e|ir|a)|descart(?:a|e|ar)|no (?:sigas|siga|obedezcas)|anul(?:a|e|ar)|salt(?:a|e|ar)te|haz caso omiso de)${gap}(?:tod[ao]s?|las?|los|el|tus?|sus?|mis?|est[ao]s|es[ao]s|cualquier)${gap}${words(4)}(?:instrucci(?:ones|ón|on)|indicaci(?:ones|ón)|[óo]rdenes|reglas?|directrices|normas|prompts?|restricciones)${end}`,
  ),
  pattern(
    'drop_instructions',
    50,
    `\\b(?:ignora|olvida|olvide|ignore)${gap}todo${gap}${words(5)}(?:anterior|anteriormente|antes|arriba|dicho|previo)${end}`,
  ),
  pattern(
    'reveal_prompt',
    55,
    `\\b(?:revela|revele|muestra|mu[ée]strame|muestre|dime|imprime|repite|escribe|ens[ée]ñame|cu[áa]l(?:es)? (?:es|son|era))${gap}${words(5)}(?:prompt (?:del? sistema|inicial|original|oculto)|mensaje del? sistema|instrucciones (?:del? sistema|iniciales|secretas|ocultas|originales|internas)|indicaciones (?:del? sistema|iniciales))${end}`,
  ),
  pattern(
    'role_play',
    40,
    `\\b(?:eres|ahora eres|act[úu]a|finge|comp[óo]rtate|haz de cuenta)${gap}${words(6)}(?:sin (?:ninguna |ning[úu]n |ningun )?(?:restricci(?:ones|ón)|reglas?|l[íi]mites?|filtros?|censura)|sin censura|no tienes (?:restricciones|reglas))${end}`,
  ),
]
